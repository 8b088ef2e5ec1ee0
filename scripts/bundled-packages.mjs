// The packages whose code is in the bundles, from esbuild's own account of its inputs: their licences as one text, and a list for
// machines (an SBOM).
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const PACKAGE = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/;
const LICENCE_FILE = /^(?:licen[cs]es?|copying|notice)(?:[-.].*)?$/i;

/**
 * Sorted by folder, a path from the root of the project.
 * @throws {Error} if a package does not declare its licence
 */
export function bundledPackages(root, metafiles) {
  const read = metafiles.flatMap(({ outputs }) =>
    Object.values(outputs).flatMap(({ inputs }) =>
      Object.keys(inputs).filter((path) => inputs[path].bytesInOutput > 0),
    ),
  );
  const folders = read.map((path) => PACKAGE.exec(path)?.[0]).filter(Boolean);
  const lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")).packages;
  return [...new Set(folders)].sort().map((folder) => {
    const { name, version, license, repository } = JSON.parse(
      readFileSync(join(root, folder, "package.json"), "utf8"),
    );
    if (typeof license !== "string") throw new Error(`${folder} does not name its licence`);
    const { integrity } = lock[folder];
    return { folder, name, version, license, integrity, source: repository?.url ?? repository };
  });
}

/** The text for `dist/third-party-licenses.txt`. */
export function licencesText(root, packages) {
  return `${[
    "Packages whose code is in this program, each with its licence.",
    ...packages.map(({ folder, name, version, license, source }) => {
      const texts = readdirSync(join(root, folder))
        .filter((file) => LICENCE_FILE.test(file))
        .sort()
        .map((file) => readFileSync(join(root, folder, file), "utf8").trim());
      if (texts.length === 0) texts.push(`The package brings no text of it; see ${source}.`);
      return ["=".repeat(80), `${name} ${version} (${license})`, ...texts].join("\n\n");
    }),
  ].join("\n\n")}\n`;
}

/** The same packages in CycloneDX's form for `dist/sbom.cdx.json`; without times, so that equal bundles have equal lists. */
export function sbomText(packages, { name, version, license }) {
  const componentOf = (type, about) => {
    const [scope, bare] = about.name.startsWith("@") ? about.name.split("/") : [];
    const purl = `pkg:npm/${about.name.replace("@", "%40")}@${about.version}`;
    return {
      ...{ type, "bom-ref": purl, ...(scope && { group: scope }), name: bare ?? about.name },
      ...{ version: about.version, licenses: [licenceOf(about.license)], purl },
    };
  };
  const components = packages.map(({ integrity, ...about }) => ({
    ...componentOf("library", about),
    hashes: [{ alg: "SHA-512", content: hexOf(integrity) }],
  }));
  const metadata = { component: componentOf("application", { name, version, license }) };
  const head = { bomFormat: "CycloneDX", specVersion: "1.6", version: 1 };
  return `${JSON.stringify({ ...head, metadata, components }, undefined, 2)}\n`;
}

/** One licence, or an expression of several. */
function licenceOf(license) {
  return /^[\w.-]+$/.test(license) ? { license: { id: license } } : { expression: license };
}

/** @param integrity as the lockfile has it: `sha512-` and base64 */
function hexOf(integrity) {
  return Buffer.from(integrity.replace("sha512-", ""), "base64").toString("hex");
}
