// The generated documents are those of the program's tables, and what it prints is what the schemas say.
import { expect, test } from "vitest";
import { ALERT_FORMS } from "../../scripts/docs/alert-forms.ts";
import { DOCUMENTS } from "../../scripts/docs/documents.ts";
import { parseRule } from "../../src/alerts/rule.ts";
import { readDocument } from "../support/documents.ts";

test.each(Object.keys(DOCUMENTS))("%s is up to date (npm run docs)", (path) => {
  expect(readDocument(path)).toBe(DOCUMENTS[path]?.());
});

test.each(ALERT_FORMS.flatMap(([forms]) => forms))("the rule %s is taken", (text) => {
  const address = "4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T";
  const rule = text.replace("/A/", `/${address}/`).replace("/ID", "/0");
  const context = { market: undefined, findMarket: (name: string) => name };
  expect(parseRule(rule, context)).toMatchObject({ rule: { everyMs: undefined } });
});
