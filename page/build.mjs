/*
 * Makes the page that `tsprof html` puts summaries into: one file, without any.
 *
 *   node build.mjs [--out FILE] [--packages DIRECTORY] [--watch]
 *   node build.mjs --test OUTPUT [--packages DIRECTORY]     the unit tests as one file for node
 *
 * --packages has the node_modules; by default it is beside this file.
 */
import { createHash } from "node:crypto";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const here = dirname(fileURLToPath(import.meta.url));
const { values: options } = parseArgs({
  options: {
    out: { type: "string", default: join(here, "page.html") },
    packages: { type: "string", default: join(here, "node_modules") },
    test: { type: "string" },
    watch: { type: "boolean", default: false },
  },
});
const packages = resolve(options.packages);
const esbuild = createRequire(join(packages, "none.js"))("esbuild");

/* What is bundled, and its licence; the build fails if anything else gets in. */
const BUNDLED = ["uplot", "fzstd"];

const common = {
  bundle: true,
  nodePaths: [packages],
  tsconfig: join(here, "tsconfig.json"),
  logLevel: "warning",
  absWorkingDir: here,
};

function licences(inputs) {
  const names = new Set();
  for (const path of Object.keys(inputs)) {
    const found = /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path);
    if (found) names.add(found[1]);
  }
  return [...names].sort().map((name) => {
    if (!BUNDLED.includes(name)) throw new Error(`${name} is bundled; its licence is not known to build.mjs`);
    const about = JSON.parse(readFileSync(join(packages, name, "package.json"), "utf8"));
    const text = readFileSync(join(packages, name, "LICENSE"), "utf8").trim();
    return `${name} ${about.version} (${about.license})\n\n${text}`;
  });
}

const hash = (text) => `sha256-${createHash("sha256").update(text).digest("base64")}`;

/** What stands in an HTML script element must not end it, nor begin a comment in it. */
const forScript = (text) => text.replace(/<\/(script)/gi, "<\\/$1").replace(/<!--/g, "<\\!--");

function writePage(result) {
  const output = (suffix) => result.outputFiles.find((file) => file.path.endsWith(suffix)).text;
  const texts = licences(result.metafile.inputs);
  const script = forScript(output(".js").trim());
  const style = output(".css").trim();
  const replacements = {
    script,
    style,
    "script-hash": hash(script),
    "style-hash": hash(style),
    licences: texts.join("\n\n\n"),
  };
  const template = readFileSync(join(here, "src/template.html"), "utf8");
  writeFileSync(options.out, template.replace(/\{\{([a-z-]+)\}\}/g, (_, name) => replacements[name]));
}

const page = {
  ...common,
  entryPoints: [join(here, "src/main.ts")],
  outdir: "unused",
  write: false,
  metafile: true,
  minify: true,
  charset: "ascii",
  legalComments: "none",
  format: "iife",
  target: ["es2022"],
  loader: { ".css": "css" },
};

if (options.test) {
  const entries = readdirSync(join(here, "test")).filter((name) => name.endsWith(".test.ts"));
  await esbuild.build({
    ...common,
    stdin: { contents: entries.map((name) => `import "./test/${name}";`).join("\n"), resolveDir: here, loader: "ts" },
    outfile: resolve(options.test),
    platform: "node",
    format: "esm",
    target: ["node18"],
    sourcemap: "inline",
  });
} else if (options.watch) {
  const plugin = {
    name: "page",
    setup: (build) =>
      build.onEnd((result) => {
        if (result.errors.length === 0) writePage(result);
      }),
  };
  const context = await esbuild.context({ ...page, minify: false, plugins: [plugin] });
  await context.watch();
} else {
  writePage(await esbuild.build(page));
}
