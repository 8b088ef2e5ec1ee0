// Takes the place of Intl.Segmenter: several packages create one when they are loaded, which takes tens of milliseconds, and most
// runs need none.
const { [String("Segmenter")]: Segmenter } = Intl;

export class LazySegmenter {
  #options;
  #segmenter;

  constructor(...options) {
    this.#options = options;
  }

  segment(text) {
    this.#segmenter ??= new Segmenter(...this.#options);
    return this.#segmenter.segment(text);
  }
}
