// Bundle the page: node bundle.mjs OUT. Called by build.py, which has written build/texts.json.
import { build } from "esbuild";
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { marked } from "marked";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

const out = process.argv[2];
rmSync(out, { recursive: true, force: true });
mkdirSync(join(out, "assets"), { recursive: true });
const texts = JSON.parse(readFileSync("build/texts.json", "utf8"));

/** import("texts:fr") brings the page's texts in a language, as a chunk of its own. */
const catalogue = {
  name: "texts",
  setup(found) {
    found.onResolve({ filter: /^texts:/ }, (asked) => ({
      path: asked.path.slice("texts:".length),
      namespace: "texts",
    }));
    found.onLoad({ filter: /.*/, namespace: "texts" }, (asked) => ({
      contents: JSON.stringify(texts[asked.path] ?? {}),
      loader: "json",
    }));
  },
};

// The chapters of docs/GAME.md that tell how a game is played; the rest is for programmers.
const NOT_RULES = ["In records and positions", "Versions of these rules", "House data", "Playing it here", "The land entry", "Options", "How a throw is simulated", "The surrogate"];

function rulesOf(page) {
  const chapters = readFileSync(page, "utf8").split(/^(?=## )/m).slice(1);
  const told = chapters.filter((text) => !NOT_RULES.some((name) => text.startsWith(`## ${name}`)));
  const plain = told.join("").replace(/\[([^\]]*)\]\([^)]*\)/g, "$1"); // links lead nowhere here
  const html = marked.parse(plain.replace(/^##/gm, "###"));
  return html.replaceAll("<table>", '<table tabindex="0">').replaceAll("<pre>", '<pre tabindex="0">'); // to be scrolled by keys
}

/** import("rules:GAME") brings the rules of a game as HTML; "rules:all" knows them all. */
const rules = {
  name: "rules",
  setup(found) {
    const games = readdirSync("../src/mandalier/draw").map((name) => name.replace(".py", ""));
    const told = games.filter((name) => existsSync(`../docs/${name}.md`));
    found.onResolve({ filter: /^rules:/ }, (asked) => ({
      path: asked.path.slice("rules:".length),
      namespace: "rules",
    }));
    found.onLoad({ filter: /.*/, namespace: "rules" }, (asked) => {
      if (asked.path !== "all") return { contents: rulesOf(`../docs/${asked.path}.md`), loader: "text" };
      const lines = told.map((name) => `${name}: () => import("rules:${name}")`);
      return { contents: `export default {${lines}}`, loader: "js" };
    });
  },
};

const shared = {
  bundle: true,
  minify: true,
  target: ["es2022", "safari15.4"],
  legalComments: "none",
  logLevel: "warning",
  metafile: true,
};

const page = await build({
  ...shared,
  entryPoints: { main: "src/main.ts", style: "src/style.css" },
  outdir: join(out, "assets"),
  publicPath: "/assets/",
  format: "esm",
  splitting: true,
  entryNames: "[name]-[hash]",
  chunkNames: "[name]-[hash]",
  assetNames: "[name]-[hash]",
  loader: { ".woff2": "file" },
  plugins: [catalogue, rules],
});

const files = Object.entries(page.metafile.outputs);
const nameOf = (entry) => files.find(([, made]) => made.entryPoint === entry)[0].split("/").pop();
const main = nameOf("src/main.ts");
const style = nameOf("src/style.css");
const font = files.map(([path]) => path.split("/").pop()).find((name) => /latin-400.*woff2$/.test(name));
/** A chunk and all that it imports at once. */
function withImports(path, found = new Set()) {
  if (found.has(path)) return found;
  found.add(path);
  for (const each of page.metafile.outputs[path].imports)
    if (each.kind === "import-statement") withImports(each.path, found);
  return found;
}
const pathOf = (entry) => files.find(([, made]) => made.entryPoint === entry)[0];
const links = (paths) => [...paths].map((path) => `/assets/${path.split("/").pop()}`);
const atOnce = withImports(pathOf("src/main.ts"));
const early = links(atOnce).filter((path) => !path.endsWith(main)).map((path) => `<link rel="modulepreload" href="${path}">`);

// what each page needs besides, for the server to ask for at once
const PAGES = ["lobby", "new_table", "game_page", "table_page", "settings_page", "you"];
const chunks = {};
for (const name of PAGES) {
  const needed = withImports(pathOf(`src/${name}.ts`));
  chunks[name] = links([...needed].filter((path) => !atOnce.has(path)));
}
for (const language of Object.keys(texts)) chunks[language] = links([pathOf(`texts:${language}`)]);
writeFileSync(join(out, "chunks.json"), JSON.stringify(chunks));

const html = readFileSync("src/index.html", "utf8")
  .replace("{{style}}", `/assets/${style}`)
  .replace("{{main}}", `/assets/${main}`)
  .replace("{{font}}", `/assets/${font}`)
  .replace("{{early}}", early.join("\n"));
writeFileSync(join(out, "index.html"), html);

cpSync("static", out, { recursive: true });

// what the service worker keeps for a time without network: each page, and what it says
const pages = links(atOnce).concat(...Object.values(chunks));
const kept = [...new Set(["/", `/assets/${style}`, `/assets/${font}`, "/icons/icon.svg", ...pages])];
await build({
  ...shared,
  entryPoints: ["src/sw.ts"],
  outfile: join(out, "sw.js"),
  format: "iife",
  define: { KEPT: JSON.stringify(kept), STAMP: JSON.stringify(main + style) },
});

for (const folder of ["", "assets"]) {
  for (const name of readdirSync(join(out, folder))) {
    if (!/\.(js|css|json|svg|webmanifest)$/.test(name)) continue;
    const path = join(out, folder, name);
    const body = readFileSync(path);
    if (body.length < 600) continue;
    writeFileSync(`${path}.gz`, gzipSync(body, { level: 9 }));
    const quality = { [constants.BROTLI_PARAM_QUALITY]: 11 };
    writeFileSync(`${path}.br`, brotliCompressSync(body, { params: quality }));
  }
}
