// The licences of the bundled packages as one text, which the build derives from its inputs.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const PACKAGE = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/;
const LICENCE_FILE = /^(?:licen[cs]es?|copying|notice)(?:[-.].*)?$/i;

/** Sorted folders of the packages in esbuild's metafiles, as paths from the root of the project. */
function bundledPackages(metafiles) {
  const read = metafiles.flatMap(({ outputs }) =>
    Object.values(outputs).flatMap(({ inputs }) =>
      Object.keys(inputs).filter((path) => inputs[path].bytesInOutput > 0),
    ),
  );
  const folders = read.map((path) => PACKAGE.exec(path)?.[0]).filter(Boolean);
  return [...new Set(folders)].sort();
}

function describe(root, folder) {
  const { name, version, license, repository } = JSON.parse(
    readFileSync(join(root, folder, "package.json"), "utf8"),
  );
  if (typeof license !== "string") throw new Error(`${folder} does not name its licence`);
  const texts = readdirSync(join(root, folder))
    .filter((file) => LICENCE_FILE.test(file))
    .sort()
    .map((file) => readFileSync(join(root, folder, file), "utf8").trim());
  if (texts.length === 0) {
    texts.push(`The package brings no text of it; see ${repository?.url ?? repository}.`);
  }
  return { title: `${name} ${version}`, license, texts };
}

/**
 * The text for `dist/third-party-licenses.txt`.
 * @throws {Error} if a package does not declare its licence
 */
export function licencesText(root, metafiles) {
  const entries = bundledPackages(metafiles).map((folder) => describe(root, folder));
  return `${[
    "Packages whose code is in this program, each with its licence.",
    ...entries.map(({ title, license, texts }) =>
      ["=".repeat(80), `${title} (${license})`, ...texts].join("\n\n"),
    ),
  ].join("\n\n")}\n`;
}
