// Heaps (see heaps.py) for boardgame.io.
const { INVALID_MOVE } = require("boardgame.io/core");

const HEAPS = 9;
const PEBBLES = 20;
const MOST = 3;

exports.Heaps = {
  name: "heaps",
  minPlayers: 2,
  maxPlayers: 2,
  setup: () => ({ heaps: Array(HEAPS).fill(PEBBLES), left: HEAPS * PEBBLES }),
  turn: { minMoves: 1, maxMoves: 1 },
  disableUndo: true,
  moves: {
    take: ({ G }, heap, taken) => {
      const right =
        Number.isInteger(heap) && Number.isInteger(taken) &&
        heap >= 0 && heap < HEAPS && taken >= 1 && taken <= MOST && taken <= G.heaps[heap];
      if (!right) return INVALID_MOVE;
      G.heaps[heap] -= taken;
      G.left -= taken;
    },
  },
  endIf: ({ G, ctx }) => (G.left === 0 ? { winner: ctx.currentPlayer } : undefined),
};
