// boardgame.io's server, as its documentation starts it: node server.js memory|flatfile PORT FOLDER
process.env.NODE_ENV = "production";
const { Server, FlatFile, Origins } = require("boardgame.io/server");
const { Heaps } = require("./heaps.js");

const [store, port, folder] = process.argv.slice(2);
const options = { games: [Heaps], origins: [Origins.LOCALHOST] };
if (store === "flatfile") options.db = new FlatFile({ dir: folder });

// its log has a line for each request; neither server is to write any
console.log = console.info = () => {};
Server(options)
  .run(Number(port))
  .then(() => process.stdout.write("ready\n"));
