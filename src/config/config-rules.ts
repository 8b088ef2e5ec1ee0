// What only other modules can say is wrong with a config file: each has its rule here.

import { alertRule } from "../alerts/alerts.ts";
import type { ConfigRule } from "./config-file.ts";
import { fieldRule } from "./field-names.ts";
import { keyRule, themeRule } from "./preferences.ts";

/** For every check of the file; each hears only of settings of the right form. */
export const CONFIG_RULES: readonly ConfigRule[] = [themeRule, keyRule, fieldRule, alertRule];
