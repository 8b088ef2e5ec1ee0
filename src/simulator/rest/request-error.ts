// A REST request that cannot be answered, as the status and the words that it gets.

/** A request that gets no listing: an HTTP status, and words for whoever asked. */
export class RequestError extends Error {
  override readonly name = "RequestError";
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}
