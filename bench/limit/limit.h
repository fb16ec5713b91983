/* Generator, shuffles and the digest: the same in all three games. */
#ifndef LIMIT_H
#define LIMIT_H

#include <stdint.h>
#include <string.h>

#ifdef CHECK
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#endif

enum { MAX_SEATS = 5, OUT_LEN = 19 };

typedef int16_t Move;

typedef struct {
    uint32_t a, b, c, d;
} Rng;

/* What a finished game hands to the totals. */
typedef struct {
    int score[MAX_SEATS];
    int win[MAX_SEATS];
    int reason;
    int reshuffles;
} Result;

static inline uint32_t rng_next(Rng *g)
{
    uint32_t t = g->a + g->b + g->d;
    g->d++;
    g->a = g->b ^ (g->b >> 9);
    g->b = g->c + (g->c << 3);
    g->c = ((g->c << 21) | (g->c >> 11)) + t;
    return t;
}

static inline Rng rng_seed(uint64_t seed, uint64_t stream)
{
    Rng g = {(uint32_t)seed, (uint32_t)(seed >> 32), (uint32_t)stream, 1 + (uint32_t)(stream >> 32)};
    for (int i = 0; i < 12; i++)
        rng_next(&g);
    return g;
}

static inline uint32_t below(Rng *g, uint32_t n)
{
    return (uint32_t)(((uint64_t)rng_next(g) * n) >> 32);
}

static inline void shuffle(Rng *g, uint8_t *cards, int n)
{
    Rng r = *g;
    for (int i = n - 1; i > 0; i--) {
        uint32_t j = below(&r, (uint32_t)i + 1);
        uint8_t card = cards[i];
        cards[i] = cards[j];
        cards[j] = card;
    }
    *g = r;
}

static inline uint64_t game_seed(uint64_t seed, uint64_t k)
{
    Rng g = rng_seed(seed, k);
    uint64_t hi = rng_next(&g);
    uint64_t lo = rng_next(&g);
    return ((hi << 32) | lo) >> 2;
}

static inline uint32_t digest(uint32_t h, uint32_t word)
{
    return (h ^ word) * 16777619u;
}

static inline int lowest(uint64_t set)
{
    return __builtin_ctzll(set);
}

static inline int highest(uint64_t set)
{
    return 63 - __builtin_clzll(set);
}

static inline int size_of(uint32_t set)
{
    return __builtin_popcount(set);
}

#endif
