// An independent check of what crosses the wire, in both directions: the interface document as JSON Schema, run by Ajv.
// Tests use it beside src/wire, and to prove that the simulator sends nothing outside the document.
import { Ajv2020, type ErrorObject } from "ajv/dist/2020.js";
import { liquidationPage, tradePage } from "./interface-schema/rest.ts";
import { answers, updates } from "./interface-schema/stream.ts";
import { channelForms, type Schema } from "./interface-schema/values.ts";

/** Says what is wrong with a parsed JSON value; undefined when it conforms. */
type Check = (value: unknown) => string | undefined;

const ajv = new Ajv2020({ allowUnionTypes: true, ownProperties: true });

/** The last error is the outermost one: of an `anyOf` it names the choice, not the first branch that failed. */
function faultOf(error: ErrorObject | undefined): string {
  const extra: unknown = error?.params.additionalProperty;
  const named = extra === undefined ? "" : `: ${JSON.stringify(extra)}`;
  return `${error?.instancePath ?? ""}: ${error?.message ?? "does not conform"}${named}`;
}

function check(schema: Schema): Check {
  const validate = ajv.compile(schema);
  return (value) => (validate(value) ? undefined : faultOf(validate.errors?.at(-1)));
}

function checks<Name extends string>(schemas: Readonly<Record<Name, Schema>>): Map<unknown, Check> {
  return new Map(Object.entries<Schema>(schemas).map(([name, schema]) => [name, check(schema)]));
}

const answerChecks = checks(answers);
const updateChecks = checks(updates);
const forms = Object.entries(channelForms).map(([kind, form]) => ({
  kind,
  form: new RegExp(form),
}));

/** The kind of a channel name by the grammar of 4.1; undefined when it is no channel name. Never throws. */
const channelKindOf = (channel: unknown): string | undefined =>
  typeof channel === "string" ? forms.find(({ form }) => form.test(channel))?.kind : undefined;

const own = (frame: object, name: string): unknown =>
  Object.getOwnPropertyDescriptor(frame, name)?.value;

/**
 * Checks a parsed server frame (6, 7): hello, update of any kind, unsubscribed or error.
 *
 * @returns the first fault as `path: words`, undefined when the frame conforms. Never throws.
 */
export function conformsServerFrame(frame: unknown): string | undefined {
  if (typeof frame !== "object" || frame === null) return ": must be object";
  const type = own(frame, "type");
  if (type === "update") {
    const ofKind = updateChecks.get(channelKindOf(own(frame, "channel")));
    return ofKind === undefined ? "/channel: must be a channel name" : ofKind(frame);
  }
  const ofType = answerChecks.get(type);
  return ofType === undefined
    ? "/type: must be hello, update, unsubscribed or error"
    : ofType(frame);
}

/** Checks a parsed page of trades or fills (2.4). @returns the first fault, undefined when it conforms. Never throws. */
export const conformsTradePage: Check = check(tradePage);

/** Checks a parsed page of liquidations (2.5). @returns the first fault, undefined when it conforms. Never throws. */
export const conformsLiquidationPage: Check = check(liquidationPage);
