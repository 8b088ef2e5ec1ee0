// What went wrong below HTTP, in words, and whether trying again can help.
import { HistoryError } from "../../units/monitor-error.ts";

/** Faults of a certificate: nothing heals them, and nothing may be sent to such a service. */
const CERTIFICATE =
  /^(?:CERT_|ERR_TLS_CERT|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT|UNABLE_TO_|HOSTNAME_MISMATCH|CRL_)/;
/** The other side does not speak TLS, or not ours. */
const TLS = /^(?:EPROTO|ERR_SSL_|ERR_TLS_)/;

const words: Readonly<Record<string, string>> = {
  UND_ERR_HEADERS_TIMEOUT: "no answer in time",
  UND_ERR_BODY_TIMEOUT: "the answer stopped half way",
  UND_ERR_SOCKET: "the service closed the connection before its answer was whole",
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: "the answer is shorter or longer than it says",
  ECONNREFUSED: "connection refused",
  ECONNRESET: "the connection was reset",
  ENOTFOUND: "no such host",
  EAI_AGAIN: "the name of the host cannot be resolved",
  ETIMEDOUT: "no connection in time",
  EHOSTUNREACH: "no way to the host",
  ENETUNREACH: "no network",
  EPIPE: "the connection was closed",
};

/**
 * Words an error of the network. Never throws.
 * @param discreet takes out what nobody may read: libraries repeat what the service said
 */
export function networkFault(
  error: unknown,
  origin: string,
  discreet: (text: string) => string,
): HistoryError {
  if (error instanceof HistoryError) return error;
  const code = codeOf(error);
  if (CERTIFICATE.test(code)) {
    return new HistoryError("certificate", `the certificate of ${origin} is not valid: ${code}`, {
      advice: "check --base-url; a private authority can be named in NODE_EXTRA_CA_CERTS",
      cause: error,
    });
  }
  if (TLS.test(code)) {
    return new HistoryError("tls", `${origin} does not speak TLS as expected: ${code}`, {
      advice: "check --base-url: https: for a secure service, http: only on this machine",
      cause: error,
    });
  }
  const told = error instanceof Error ? error.message : String(error);
  const isNoHttp = error instanceof Error && error.name === "HTTPParserError";
  const what = words[code] ?? (isNoHttp ? "the answer is no HTTP" : discreet(told));
  return new HistoryError("unreachable", `${origin}: ${what}${code && ` (${code})`}`, {
    advice: "check --base-url and the network",
    cause: error,
  });
}

/** The first code in an error or in what caused it; empty text where there is none. */
function codeOf(error: unknown): string {
  for (let each = error, depth = 0; depth < 4 && each instanceof Error; depth++) {
    const { code, errors, cause } = each as NodeJS.ErrnoException & { errors?: unknown[] };
    if (typeof code === "string" && code !== "") return code;
    each = errors?.[0] ?? cause;
  }
  return "";
}
