// The table of faults: one row for each kind that a scenario may name. A new kind is a new row.
import * as z from "zod";
import { anonymousErrors, conflict, noFarewell, unavailable } from "./answer-faults.ts";
import { crossedBook, falseBook } from "./book-faults.ts";
import { close, cutFrame, halfOpen, noPong, slowDrip, terminate } from "./connection-faults.ts";
import {
  clockSkew,
  extraField,
  missingField,
  truncateFrame,
  wrongType,
  wrongVersion,
} from "./content-faults.ts";
import type { FaultKind } from "./fault.ts";
import {
  delayFrames,
  dropFrame,
  duplicateFrame,
  lateFrame,
  reorderFrames,
  silence,
} from "./frame-faults.ts";
import { flood, garbageFrame, giantFrame, strayError } from "./inserted-faults.ts";
import { restCut, restError, restHang, restHtml, restSlow } from "./rest-faults.ts";
import { hangUpgrade, refuseUpgrade } from "./upgrade-faults.ts";

const KINDS = {
  "drop-frame": dropFrame,
  "duplicate-frame": duplicateFrame,
  "reorder-frames": reorderFrames,
  "late-frame": lateFrame,
  "delay-frames": delayFrames,
  silence,
  "truncate-frame": truncateFrame,
  "wrong-type": wrongType,
  "missing-field": missingField,
  "extra-field": extraField,
  "clock-skew": clockSkew,
  "crossed-book": crossedBook,
  "false-book": falseBook,
  "garbage-frame": garbageFrame,
  "giant-frame": giantFrame,
  flood,
  "stray-error": strayError,
  unavailable,
  conflict,
  "anonymous-errors": anonymousErrors,
  "no-farewell": noFarewell,
  close,
  terminate,
  "cut-frame": cutFrame,
  "half-open": halfOpen,
  "no-pong": noPong,
  "slow-drip": slowDrip,
  "wrong-version": wrongVersion,
  "refuse-upgrade": refuseUpgrade,
  "hang-upgrade": hangUpgrade,
  "rest-error": restError,
  "rest-hang": restHang,
  "rest-cut": restCut,
  "rest-html": restHtml,
  "rest-slow": restSlow,
} as const;

/** A fault as scenarios name it. */
export type FaultName = keyof typeof KINDS;
type Schemas = (typeof KINDS)[FaultName]["schema"];

/** Every kind of fault, by its name. */
export const FAULT_KINDS = KINDS as unknown as { readonly [K in FaultName]: FaultKind };

const schemas = Object.values(KINDS).map(({ schema }) => schema);
/** A fault as a scenario writes it. */
export const fault = z.discriminatedUnion("kind", schemas as unknown as [Schemas, ...Schemas[]]);
/** The settings of one fault, checked. */
export type Fault = z.output<typeof fault>;
