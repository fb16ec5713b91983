/* sand: two seats, two mandalas, 108 cards in six colours. */
#include "limit.h"

enum {
    COLOURS = 6,
    EACH = 18,
    CARDS = COLOURS * EACH,
    ALL_COLOURS = 0x3f,
    HAND_LIMIT = 8,
    STALL = 40,
    FIELD = 12,
    DISCARD = 96,
    CLAIM = 144,
    MOVE_NUMBERS = 150,
    MOVE_ROOM = 64,
    MIN_SEATS_HERE = 2,
    MAX_SEATS_HERE = 2
};

enum { RIVER_FULL, DECK_OUT, LOCKED, STALLED, PLAYING };

typedef struct {
    uint8_t n[COLOURS];
    uint8_t set; /* colours present */
    uint8_t total;
} Pile;

typedef struct {
    Pile mountain;
    Pile field[2]; /* by seat */
} Mandala;

typedef struct {
    Rng rng;
    uint8_t deck[CARDS]; /* drawn from the end */
    uint8_t deck_n;
    uint8_t seat;      /* to move or to claim */
    uint8_t completer; /* who made the completing move */
    int8_t claiming;   /* mandala being destroyed, or -1 */
    uint8_t deck_out;
    uint8_t in_a_row; /* discard moves */
    uint8_t reason;
    Pile discard;
    Pile hand[2];
    Pile cup[2];
    Mandala mandala[2];
    uint8_t slot[2][COLOURS]; /* 1..6, or 0 when not in the river */
    uint8_t river_n[2];
    uint16_t reshuffles;
} State;

static inline void put(Pile *p, int colour, int count)
{
    p->n[colour] = (uint8_t)(p->n[colour] + count);
    p->set |= (uint8_t)(1 << colour);
    p->total = (uint8_t)(p->total + count);
}

static inline void take(Pile *p, int colour, int count)
{
    p->n[colour] = (uint8_t)(p->n[colour] - count);
    p->total = (uint8_t)(p->total - count);
    if (p->n[colour] == 0)
        p->set &= (uint8_t)~(1 << colour);
}

static inline void empty_into(Pile *to, Pile *from)
{
    for (int c = 0; c < COLOURS; c++)
        to->n[c] = (uint8_t)(to->n[c] + from->n[c]);
    to->set |= from->set;
    to->total = (uint8_t)(to->total + from->total);
    memset(from, 0, sizeof *from);
}

/* The deck has run out: the discard becomes the new deck. */
static void reshuffle(State *s)
{
    s->deck_out = 1;
    if (s->discard.total == 0)
        return;
    int n = 0;
    for (int c = 0; c < COLOURS; c++)
        for (int i = 0; i < s->discard.n[c]; i++)
            s->deck[n++] = (uint8_t)c;
    memset(&s->discard, 0, sizeof s->discard);
    shuffle(&s->rng, s->deck, n);
    s->deck_n = (uint8_t)n;
    s->reshuffles++;
}

/* A draw takes what there is. */
static inline void draw(State *s, Pile *to, int count)
{
    while (count-- > 0) {
        if (s->deck_n == 0) {
            reshuffle(s);
            if (s->deck_n == 0)
                return;
        }
        put(to, s->deck[--s->deck_n], 1);
        if (s->deck_n == 0)
            reshuffle(s);
    }
}

static void deal(State *s, int seats, uint64_t seed)
{
    (void)seats;
    memset(s, 0, sizeof *s);
    s->rng = rng_seed(seed, 0);
    for (int c = 0; c < COLOURS; c++)
        memset(s->deck + c * EACH, c, EACH);
    shuffle(&s->rng, s->deck, CARDS);
    s->deck_n = CARDS;
    draw(s, &s->mandala[0].mountain, 2);
    draw(s, &s->mandala[1].mountain, 2);
    draw(s, &s->hand[0], 6);
    draw(s, &s->hand[1], 6);
    draw(s, &s->cup[0], 2);
    draw(s, &s->cup[1], 2);
    s->claiming = -1;
    s->reason = PLAYING;
}

static int list_moves(const State *s, Move *moves)
{
    Move *at = moves;
    if (s->reason != PLAYING)
        return 0;
    if (s->claiming >= 0) {
        for (uint32_t set = s->mandala[s->claiming].mountain.set; set; set &= set - 1)
            *at++ = (Move)(CLAIM + lowest(set));
        return (int)(at - moves);
    }

    const Pile *hand = &s->hand[s->seat];

    /* Illegal when it would leave an empty hand with nothing to draw. */
    if (hand->total > 1 || s->deck_n || s->discard.total) {
        for (int m = 0; m < 2; m++) {
            const Mandala *md = &s->mandala[m];
            int may = hand->set & ~(md->field[0].set | md->field[1].set);
            for (int c = 0; c < COLOURS; c++) {
                *at = (Move)(m * COLOURS + c);
                at += may >> c & 1;
            }
        }
    }
    /* Rows of counts are written whole and cut to their length. */
    for (int m = 0; m < 2; m++) {
        const Mandala *md = &s->mandala[m];
        int barred = md->mountain.set | md->field[1 - s->seat].set;
        for (int c = 0; c < COLOURS; c++) {
            int most = hand->n[c] - (hand->n[c] == hand->total);
            for (int i = 0; i < HAND_LIMIT; i++)
                at[i] = (Move)(FIELD + m * 42 + c * 7 + i);
            at += barred >> c & 1 ? 0 : most;
        }
    }
    for (int c = 0; c < COLOURS; c++) {
        for (int i = 0; i < HAND_LIMIT; i++)
            at[i] = (Move)(DISCARD + c * 8 + i);
        at += hand->n[c];
    }
    return (int)(at - moves);
}

/* The mountain is empty: fields to the discard, then the end or the refill. */
static void finish_mandala(State *s, Mandala *md)
{
    empty_into(&s->discard, &md->field[0]);
    empty_into(&s->discard, &md->field[1]);
    s->claiming = -1;
    s->seat = 1 - s->completer;
    if (s->river_n[0] == COLOURS || s->river_n[1] == COLOURS) {
        s->reason = RIVER_FULL;
        return;
    }
    if (s->deck_out) {
        s->reason = DECK_OUT;
        return;
    }
    for (int c = 0; c < COLOURS; c++) {
        int gone = s->cup[0].n[c] + s->cup[1].n[c] + (s->slot[0][c] > 0) + (s->slot[1][c] > 0);
        if (gone == EACH) {
            s->reason = LOCKED;
            return;
        }
    }
    draw(s, &md->mountain, 2);
}

static void end_turn(State *s, int m)
{
    Mandala *md = &s->mandala[m];
    s->in_a_row = 0;
    if ((md->mountain.set | md->field[0].set | md->field[1].set) != ALL_COLOURS) {
        s->seat ^= 1;
        return;
    }
    s->completer = s->seat;
    if (md->field[0].total == 0 && md->field[1].total == 0) {
        empty_into(&s->discard, &md->mountain);
        finish_mandala(s, md);
    } else if (md->mountain.total == 0) {
        finish_mandala(s, md);
    } else {
        s->claiming = (int8_t)m;
        if (md->field[0].total == md->field[1].total)
            s->seat ^= 1;
        else
            s->seat = md->field[1].total > md->field[0].total;
    }
}

static void claim(State *s, int c)
{
    Mandala *md = &s->mandala[s->claiming];
    int seat = s->seat;
    int n = md->mountain.n[c];
    take(&md->mountain, c, n);
    if (md->field[seat].total == 0) {
        put(&s->discard, c, n);
    } else {
        if (s->slot[seat][c] == 0) {
            s->slot[seat][c] = ++s->river_n[seat];
            n--;
        }
        if (n)
            put(&s->cup[seat], c, n);
    }
    s->seat ^= 1;
    if (md->mountain.total == 0)
        finish_mandala(s, md);
}

static void play(State *s, int move)
{
    Pile *hand = &s->hand[s->seat];
    if (move < FIELD) {
        int m = move >= COLOURS;
        int c = move - m * COLOURS;
        take(hand, c, 1);
        put(&s->mandala[m].mountain, c, 1);
        int room = HAND_LIMIT - hand->total;
        draw(s, hand, room < 3 ? room : 3);
        end_turn(s, m);
    } else if (move < DISCARD) {
        int k = move - FIELD;
        int m = k >= 42;
        int c = (k - m * 42) / 7;
        int n = (k - m * 42) % 7 + 1;
        take(hand, c, n);
        put(&s->mandala[m].field[s->seat], c, n);
        end_turn(s, m);
    } else if (move < CLAIM) {
        int c = (move - DISCARD) / 8;
        int n = (move - DISCARD) % 8 + 1;
        take(hand, c, n);
        put(&s->discard, c, n);
        draw(s, hand, n);
        s->seat ^= 1;
        if (++s->in_a_row == STALL)
            s->reason = STALLED;
    } else {
        claim(s, move - CLAIM);
    }
}

/* More points, then the smaller cup, then both. */
static void finish(const State *s, Result *end)
{
    for (int i = 0; i < 2; i++)
        for (int c = 0; c < COLOURS; c++)
            end->score[i] += s->cup[i].n[c] * s->slot[i][c];
    int lead = end->score[0] - end->score[1];
    if (lead == 0)
        lead = s->cup[1].total - s->cup[0].total;
    end->win[0] = lead >= 0;
    end->win[1] = lead <= 0;
    end->reason = s->reason;
    end->reshuffles = s->reshuffles;
}

#ifdef CHECK
static int check_pile(const Pile *p)
{
    int total = 0;
    for (int c = 0; c < COLOURS; c++) {
        total += p->n[c];
        assert((p->n[c] > 0) == ((p->set >> c) & 1));
    }
    assert(total == p->total && p->set <= ALL_COLOURS);
    return total;
}

static void check_state(const State *s)
{
    const Pile *piles[11] = {&s->discard, &s->hand[0], &s->hand[1], &s->cup[0], &s->cup[1]};
    for (int m = 0; m < 2; m++) {
        piles[5 + m] = &s->mandala[m].mountain;
        piles[7 + m] = &s->mandala[m].field[0];
        piles[9 + m] = &s->mandala[m].field[1];
    }
    int count[COLOURS] = {0};
    for (int i = 0; i < 11; i++) {
        check_pile(piles[i]);
        for (int c = 0; c < COLOURS; c++)
            count[c] += piles[i]->n[c];
    }
    for (int i = 0; i < s->deck_n; i++)
        count[s->deck[i]]++;
    for (int seat = 0; seat < 2; seat++) {
        int filled = 0, used = 0;
        for (int c = 0; c < COLOURS; c++) {
            if (s->slot[seat][c]) {
                count[c]++;
                filled++;
                used |= 1 << (s->slot[seat][c] - 1);
            }
        }
        assert(filled == s->river_n[seat] && used == (1 << filled) - 1);
        assert(s->hand[seat].total >= 1 && s->hand[seat].total <= HAND_LIMIT);
    }
    for (int c = 0; c < COLOURS; c++)
        assert(count[c] == EACH);

    for (int m = 0; m < 2; m++) {
        const Mandala *md = &s->mandala[m];
        int open = m == s->claiming;
        uint8_t a = md->mountain.set, b = md->field[0].set, d = md->field[1].set;
        assert((a & b) == 0 && (a & d) == 0 && (b & d) == 0);
        if (!open)
            assert((a | b | d) != ALL_COLOURS);
        if (!open && s->reason == PLAYING)
            assert(md->mountain.total >= 2);
    }
    if (s->reason == PLAYING) {
        assert(s->in_a_row < STALL);
        assert(s->deck_n > 0 || s->deck_out);
        assert(s->claiming >= 0 || (s->river_n[0] < COLOURS && s->river_n[1] < COLOURS));
    }
    assert(s->reshuffles == 0 || s->deck_out);
}

/* One move by the words of its row in the table. */
static int is_legal(const State *s, int move)
{
    if (s->reason != PLAYING)
        return 0;
    if (s->claiming >= 0)
        return move >= CLAIM && s->mandala[s->claiming].mountain.n[move - CLAIM] > 0;
    if (move >= CLAIM)
        return 0;
    const Pile *hand = &s->hand[s->seat];
    int cards = 0;
    for (int c = 0; c < COLOURS; c++)
        cards += hand->n[c];
    if (move >= DISCARD)
        return hand->n[(move - DISCARD) / 8] >= (move - DISCARD) % 8 + 1;
    if (move >= FIELD) {
        int c = (move - FIELD) % 42 / 7, n = (move - FIELD) % 7 + 1;
        const Mandala *md = &s->mandala[(move - FIELD) / 42];
        return hand->n[c] >= n && cards > n && md->mountain.n[c] == 0 && md->field[!s->seat].n[c] == 0;
    }
    int c = move % COLOURS;
    const Mandala *md = &s->mandala[move / COLOURS];
    int supply = s->deck_n;
    for (int k = 0; k < COLOURS; k++)
        supply += s->discard.n[k];
    return hand->n[c] > 0 && md->field[0].n[c] == 0 && md->field[1].n[c] == 0 && (cards > 1 || supply > 0);
}

static Pile pile(const char *cards)
{
    Pile p = {{0}, 0, 0};
    for (; *cards; cards++)
        put(&p, (int)(strchr("roygpk", *cards) - "roygpk"), 1);
    return p;
}

/* A position made by hand: no discard, the given deck (top last). */
static State position(const char *hand0, const char *hand1, const char *deck)
{
    State s;
    memset(&s, 0, sizeof s);
    s.hand[0] = pile(hand0);
    s.hand[1] = pile(hand1);
    for (; *deck; deck++)
        s.deck[s.deck_n++] = (uint8_t)(strchr("roygpk", *deck) - "roygpk");
    s.claiming = -1;
    s.reason = PLAYING;
    return s;
}

static void worked_checks(void)
{
    enum { R, O, Y, G, P, K };
    State s;

    /* Hand after a mountain move from 8, 6 and 1 cards. */
    const char *hands[3] = {"rrrrrrrr", "rrrrrr", "r"};
    const int after[3] = {8, 8, 3};
    for (int i = 0; i < 3; i++) {
        s = position(hands[i], "o", "ggggggggg");
        play(&s, R);
        assert(s.hand[0].total == after[i] && s.seat == 1 && s.deck_out == 0);
    }

    /* Fields 4 against 3: the larger chooses first, whoever completes. */
    for (int seat = 0; seat < 2; seat++) {
        s = position("yr", "yr", "rrrrrrrrrr");
        s.mandala[0].mountain = pile("rro");
        s.mandala[0].field[0] = pile("gggg");
        s.mandala[0].field[1] = pile("ppk");
        s.seat = (uint8_t)seat;
        play(&s, Y);
        assert(s.claiming == 0 && s.seat == 0);
        play(&s, CLAIM + R);
        assert(s.seat == 1 && s.slot[0][R] == 1 && s.cup[0].n[R] == 1);
        play(&s, CLAIM + O);
        assert(s.seat == 0 && s.slot[1][O] == 1 && s.cup[1].total == 0);
        play(&s, CLAIM + Y);
        assert(s.seat == 1 - seat && s.claiming == -1 && s.slot[0][Y] == 2);
        assert(s.discard.total == 7 && s.mandala[0].mountain.total == 2 && s.mandala[0].field[0].total == 0);
    }

    /* On a tie the other seat chooses; an empty field sends its claims to the discard. */
    s = position("gg", "r", "rrrrrrrrrr");
    s.mandala[1].mountain = pile("rroypk");
    play(&s, FIELD + 42 + G * 7);
    assert(s.claiming == 1 && s.seat == 0);
    play(&s, CLAIM + R);
    play(&s, CLAIM + O);
    assert(s.slot[1][O] == 0 && s.discard.n[O] == 1 && s.seat == 0);
    s = position("gk", "r", "rrrrrrrrrr");
    s.mandala[1].mountain = pile("roy");
    s.mandala[1].field[0] = pile("p");
    s.mandala[1].field[1] = pile("kk");
    play(&s, FIELD + 42 + G * 7);
    assert(s.claiming == 1 && s.seat == 1);

    /* Both fields empty: the mountain is discarded without claims. */
    s = position("gk", "r", "rrrrrrrrrr");
    s.mandala[0].mountain = pile("rroypk");
    play(&s, G);
    assert(s.claiming == -1 && s.discard.total == 7 && s.mandala[0].mountain.total == 2 && s.seat == 1);

    /* No empty hand with nothing to draw; a discard comes back. */
    s = position("g", "r", "");
    Move moves[MOVE_ROOM];
    assert(list_moves(&s, moves) == 1 && moves[0] == DISCARD + G * 8);
    play(&s, moves[0]);
    assert(s.hand[0].n[G] == 1 && s.reshuffles == 1 && s.deck_n == 0 && s.deck_out && s.seat == 1);

    /* An exact draw shuffles at once, with the cards just discarded. */
    s = position("ggy", "r", "oo");
    play(&s, DISCARD + G * 8 + 1);
    assert(s.hand[0].n[O] == 2 && s.deck_n == 2 && s.deck[0] == G && s.reshuffles == 1);
    /* With an empty discard the game is marked all the same. */
    s = position("gyyyyyyy", "r", "o");
    play(&s, G);
    assert(s.deck_out && s.reshuffles == 0 && s.hand[0].total == 8);

    /* The draw of the completing move empties the deck: this mandala is the last. */
    s = position("gyyyyyyy", "r", "o");
    s.discard = pile("rr");
    s.mandala[0].mountain = pile("royy");
    s.mandala[0].field[1] = pile("pk");
    play(&s, G);
    assert(s.claiming == 0 && s.seat == 1 && s.deck_n == 2);
    for (int c = 0; c < 4; c++)
        play(&s, CLAIM + c);
    assert(s.reason == DECK_OUT && s.deck_n == 2 && s.mandala[0].mountain.total == 0);
    /* The refill empties it: one more mandala, and both fields are in the shuffle. */
    s = position("gy", "r", "oo");
    s.mandala[0].mountain = pile("royy");
    s.mandala[0].field[1] = pile("pk");
    play(&s, FIELD + G * 7);
    for (int c = 0; c < 3; c++)
        play(&s, CLAIM + c);
    assert(s.reason == PLAYING && s.deck_out && s.deck_n == 3 && s.mandala[0].mountain.n[O] == 2);

    /* A colour all in cups and rivers: locked. */
    s = position("gy", "o", "oooo");
    s.cup[0].n[R] = 16;
    s.cup[0].total = 16;
    s.cup[0].set = 1;
    s.mandala[0].mountain = pile("rroyk");
    s.mandala[0].field[0] = pile("p");
    play(&s, FIELD + G * 7);
    assert(s.claiming == 0 && s.seat == 0);
    play(&s, CLAIM + R);
    play(&s, CLAIM + O);
    play(&s, CLAIM + Y);
    play(&s, CLAIM + K);
    assert(s.reason == LOCKED && s.mandala[0].mountain.total == 0);

    /* River k r y g with 3 more red: 2 points each. */
    Result end = {0};
    s = position("g", "r", "oo");
    s.slot[0][K] = 1, s.slot[0][R] = 2, s.slot[0][Y] = 3, s.slot[0][G] = 4;
    s.cup[0] = pile("rrrpp");
    finish(&s, &end);
    assert(end.score[0] == 6 && end.win[0] && !end.win[1]);

    /* Forty discards in a row. */
    s = position("g", "r", "oyoyoyoy");
    for (int i = 0; i < STALL; i++) {
        assert(s.reason == PLAYING && list_moves(&s, moves));
        play(&s, DISCARD + lowest(s.hand[s.seat].set) * 8);
    }
    assert(s.reason == STALLED && s.reshuffles > 0);
}
#endif

#include "drive.h"
