/* stones: 24 stacks of four around nine circles, four artists, 2 to 4 seats. */
#include "limit.h"

enum {
    STACKS = 24,
    STONES = 96,
    CIRCLES = 9,
    COLUMNS = 5,
    COLOURS = 4,
    ALL_COLUMNS = 0x1f,
    ALL_CIRCLES = 0x1ff,
    SCORE = 1440,
    TOPS = 1444,
    MOVE_NUMBERS = 1475,
    MOVE_ROOM = 4 * 5 * 4 * 5 + COLOURS + 31 + 8,
    MIN_SEATS_HERE = 2,
    MAX_SEATS_HERE = 4
};

enum { HANDS, STUCK };
enum { RING, STAR };

/* The stacks around each circle, N E S W (stack numbers less one). */
static const uint8_t around[CIRCLES][4] = {
    {0, 4, 7, 3},     {1, 5, 8, 4},     {2, 6, 9, 5},
    {7, 11, 14, 10},  {8, 12, 15, 11},  {9, 13, 16, 12},
    {14, 18, 21, 17}, {15, 19, 22, 18}, {16, 20, 23, 19},
};

#define STACKS_AT(n, e, s, w) (1u << (n) | 1u << (e) | 1u << (s) | 1u << (w))
static const uint32_t touching[CIRCLES] = {
    STACKS_AT(0, 4, 7, 3),     STACKS_AT(1, 5, 8, 4),     STACKS_AT(2, 6, 9, 5),
    STACKS_AT(7, 11, 14, 10),  STACKS_AT(8, 12, 15, 11),  STACKS_AT(9, 13, 16, 12),
    STACKS_AT(14, 18, 21, 17), STACKS_AT(15, 19, 22, 18), STACKS_AT(16, 20, 23, 19),
};

/* House data: points and hands on the spaces of the mandala, 1 to 61. */
static const uint8_t bonus[STONES + 1] = {[6] = 1, [27] = 1, [13] = 2, [20] = 2, [34] = 2, [44] = 2, [52] = 2};
static const uint8_t hand_space[MAX_SEATS_HERE + 1] = {[2] = 40, [3] = 48, [4] = 56};

/* Columns 2, 3 and 4 by height. */
static const uint8_t worth[COLUMNS][5] = {[1] = {0, 4, 2, 1, 1}, [2] = {0, 1, 3, 4, 1}, [3] = {0, 1, 2, 4, 6}};

typedef struct {
    uint8_t tower[COLUMNS][4]; /* kinds, bottom to top */
    uint8_t height[COLUMNS];
    uint8_t topped[COLOURS]; /* columns by the colour of their top */
    uint8_t occupied;
    uint8_t objective[2];
} Board;

typedef struct {
    uint32_t top[2];          /* stacks by the pattern of their top stone */
    uint16_t artists;         /* circles with an artist */
    uint16_t star_artists;
    uint8_t stack[STACKS][4]; /* kinds, bottom to top */
    uint8_t height[STACKS];
    Board board[MAX_SEATS_HERE];
    int16_t score[MAX_SEATS_HERE];
    uint8_t laid; /* stones on the mandala or set aside */
    uint8_t seats;
    uint8_t seat;
    uint8_t last_round;
    uint8_t over; /* a round finished after a hand space */
} State;

static void deal(State *s, int seats, uint64_t seed)
{
    static const uint8_t homes[4] = {1, 3, 5, 7}; /* b1 a2 c2 b3 */
    uint8_t artist[4] = {RING, RING, STAR, STAR};
    uint8_t cards[10] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
    Rng rng = rng_seed(seed, 0);

    memset(s, 0, sizeof *s);
    for (int kind = 0; kind < 8; kind++)
        memset(&s->stack[kind * 3], kind, 12);
    shuffle(&rng, &s->stack[0][0], STONES);
    for (int i = 0; i < STACKS; i++) {
        s->height[i] = 4;
        s->top[s->stack[i][3] & 1] |= 1u << i;
    }
    shuffle(&rng, artist, 4);
    for (int i = 0; i < 4; i++) {
        s->artists |= (uint16_t)(1 << homes[i]);
        if (artist[i] == STAR)
            s->star_artists |= (uint16_t)(1 << homes[i]);
    }
    shuffle(&rng, cards, 10);
    for (int i = 0; i < seats; i++) {
        s->board[i].objective[0] = cards[2 * i];
        s->board[i].objective[1] = cards[2 * i + 1];
    }
    s->seats = (uint8_t)seats;
}

/* Stacks that yield to the artist moved from this circle, before looking where to. */
static inline uint32_t open_stacks(const State *s, int from)
{
    uint32_t barred = 0;
    for (uint32_t set = s->artists & ~(1u << from); set; set &= set - 1)
        barred |= touching[lowest(set)];
    return s->top[(s->star_artists >> from) & 1] & ~barred;
}

/* Without any move the game is over: a finished round, or a stuck seat. */
static int list_moves(const State *s, Move *moves)
{
    Move *at = moves;
    const Board *b = &s->board[s->seat];
    if (s->over)
        return 0;

    if (b->occupied != ALL_COLUMNS) {
        Move column[8] = {0};
        int columns = 0;
        for (int c = 0; c < COLUMNS; c++) {
            column[columns] = (Move)c;
            columns += !(b->occupied >> c & 1);
        }

        int artist[4];
        uint32_t touched[4], a = s->artists;
        for (int i = 0; i < 4; i++, a &= a - 1) {
            artist[i] = lowest(a);
            touched[i] = touching[artist[i]];
        }
        uint32_t first = touched[0] | touched[1], last = touched[2] | touched[3];
        const uint32_t others[4] = {touched[1] | last, touched[0] | last, first | touched[3], first | touched[2]};

        for (int i = 0; i < 4; i++) {
            int from = artist[i];
            uint32_t open = s->top[s->star_artists >> from & 1] & ~others[i];
            uint32_t empty = ALL_CIRCLES & ~(uint32_t)s->artists;
            for (int j = 0; j < CIRCLES - 4; j++, empty &= empty - 1) {
                int to = lowest(empty);
                int base = (from * 8 + to - (to > from)) * 20;
                for (int start = 0; start < 4; start++, base += 5) {
                    /* A whole row is written, the empty columns of a legal start are kept. */
                    for (int k = 0; k < 8; k++)
                        at[k] = (Move)(base + column[k]);
                    at += open >> around[to][start] & 1 ? columns : 0;
                }
            }
        }
    }
    for (int c = 0; c < COLOURS; c++)
        if (b->topped[c] & (b->topped[c] - 1))
            *at++ = (Move)(SCORE + c);
    uint32_t all = b->occupied;
    for (uint32_t set = all & -all; set; set = (set - all) & all)
        *at++ = (Move)(TOPS + set - 1);
    return (int)(at - moves);
}

static void pick(State *s, int move)
{
    int column = move % 5, start = move / 5 % 4, to = move / 20 % 8, from = move / 160;
    to += to >= from;

    Board *b = &s->board[s->seat];
    uint32_t open = open_stacks(s, from);
    int star = (s->star_artists >> from) & 1;
    s->artists = (uint16_t)((s->artists & ~(1 << from)) | 1 << to);
    s->star_artists = (uint16_t)((s->star_artists & ~(1 << from)) | star << to);

    int height = 0;
    s->top[star] &= ~(open & touching[to]);
    for (int i = 0; i < 4; i++) {
        int stack = around[to][(start + i) & 3];
        if (open >> stack & 1) {
            int left = --s->height[stack];
            b->tower[column][height++] = s->stack[stack][left];
            if (left)
                s->top[s->stack[stack][left - 1] & 1] |= 1u << stack;
        }
    }
    b->height[column] = (uint8_t)height;
    b->occupied |= (uint8_t)(1 << column);
    b->topped[b->tower[column][height - 1] >> 1] |= (uint8_t)(1 << column);
}

static int colour_points(const Board *b, uint32_t columns)
{
    int points = 0;
    for (; columns; columns &= columns - 1) {
        int c = lowest(columns);
        uint32_t set = 0;
        if (c == 0) {
            for (int i = 0; i < COLUMNS; i++)
                set |= 1u << b->height[i];
            points += size_of(set);
        } else if (c == 4) {
            for (int i = 0; i < b->height[c]; i++)
                set |= 1u << (b->tower[c][i] >> 1);
            points += size_of(set) + 1;
        } else {
            points += worth[c][b->height[c]];
        }
    }
    return points;
}

/* Top stones go to the mandala; the points and hands they cover count at once. */
static int lay(State *s, Board *b, uint32_t columns)
{
    int points = 0;
    for (; columns; columns &= columns - 1) {
        int c = lowest(columns);
        uint8_t bit = (uint8_t)(1 << c);
        int colour = b->tower[c][--b->height[c]] >> 1;
        b->topped[colour] &= (uint8_t)~bit;
        if (b->height[c])
            b->topped[b->tower[c][b->height[c] - 1] >> 1] |= bit;
        else
            b->occupied &= (uint8_t)~bit;
        s->laid++;
        points += bonus[s->laid];
        if (s->laid == hand_space[s->seats])
            s->last_round = 1;
    }
    return points;
}

static void play(State *s, int move)
{
    if (move < SCORE) {
        pick(s, move);
    } else {
        Board *b = &s->board[s->seat];
        uint32_t columns;
        int points;
        if (move < TOPS) {
            columns = b->topped[move - SCORE];
            points = colour_points(b, columns);
        } else {
            columns = (uint32_t)(move - TOPS + 1);
            points = size_of(columns);
        }
        points += lay(s, b, columns);
        s->score[s->seat] = (int16_t)(s->score[s->seat] + points);
    }
    if (++s->seat == s->seats) {
        s->seat = 0;
        s->over = s->last_round;
    }
}

static int objective_points(const Board *b, int card)
{
    int stones = 0, stars = 0;
    int towers = size_of(b->occupied);
    for (int c = 0; c < COLUMNS; c++) {
        stones += b->height[c];
        if (b->height[c])
            stars += b->tower[c][b->height[c] - 1] & 1;
    }
    switch (card) {
    case 0: return towers > 0 && stars == 0 ? 7 : 0;
    case 1: return towers > 0 && stars == towers ? 7 : 0;
    case 6: return towers == 2 ? 5 : 0;
    case 7: return towers == 5 ? 5 : 0;
    case 8: return stones == 3 ? 5 : 0;
    case 9: return stones == 6 ? 5 : 0;
    default: return size_of(b->topped[card - 2]) == 2 ? 5 : 0;
    }
}

/* The better objective counts; a tie goes to the earlier seat. */
static void finish(const State *s, Result *end)
{
    int winner = 0;
    for (int i = 0; i < s->seats; i++) {
        const Board *b = &s->board[i];
        int first = objective_points(b, b->objective[0]);
        int second = objective_points(b, b->objective[1]);
        end->score[i] = s->score[i] + (first > second ? first : second);
        if (end->score[i] > end->score[winner])
            winner = i;
    }
    end->win[winner] = 1;
    end->reason = s->over ? HANDS : STUCK;
}

#ifdef CHECK
static void check_state(const State *s)
{
    int stones = s->laid;
    int kinds[8] = {0};
    for (int i = 0; i < STACKS; i++) {
        stones += s->height[i];
        for (int j = 0; j < s->height[i]; j++)
            kinds[s->stack[i][j]]++;
        for (int p = 0; p < 2; p++) {
            int shown = s->height[i] > 0 && (s->stack[i][s->height[i] - 1] & 1) == p;
            assert((int)(s->top[p] >> i & 1) == shown);
        }
    }
    for (int seat = 0; seat < s->seats; seat++) {
        const Board *b = &s->board[seat];
        for (int c = 0; c < COLUMNS; c++) {
            stones += b->height[c];
            for (int j = 0; j < b->height[c]; j++)
                kinds[b->tower[c][j]]++;
            assert((b->occupied >> c & 1) == (b->height[c] > 0));
            for (int colour = 0; colour < COLOURS; colour++) {
                int shown = b->height[c] > 0 && b->tower[c][b->height[c] - 1] >> 1 == colour;
                assert((b->topped[colour] >> c & 1) == shown);
            }
        }
    }
    assert(stones == STONES);
    int laid = STONES;
    for (int k = 0; k < 8; k++) {
        assert(kinds[k] <= 12);
        laid -= kinds[k];
    }
    assert(laid == s->laid);
    assert(size_of(s->artists) == 4 && size_of(s->star_artists) == 2);
    assert((s->star_artists & ~s->artists) == 0 && s->artists <= ALL_CIRCLES);
    assert(s->last_round == (s->laid >= hand_space[s->seats]));
    assert(!s->over || s->last_round);
}

static int touches(int circle, int stack)
{
    for (int i = 0; i < 4; i++)
        if (around[circle][i] == stack)
            return 1;
    return 0;
}

static int yields(const State *s, int from, int to, int stack)
{
    if (!touches(to, stack) || s->height[stack] == 0)
        return 0;
    for (int c = 0; c < CIRCLES; c++)
        if (c != from && (s->artists >> c & 1) && touches(c, stack))
            return 0;
    return (s->stack[stack][s->height[stack] - 1] & 1) == (s->star_artists >> from & 1);
}

static int is_legal(const State *s, int move)
{
    const Board *b = &s->board[s->seat];
    if (s->over)
        return 0;
    if (move >= TOPS) {
        for (int c = 0; c < COLUMNS; c++)
            if (((move - TOPS + 1) >> c & 1) && b->height[c] == 0)
                return 0;
        return 1;
    }
    if (move >= SCORE) {
        int n = 0;
        for (int c = 0; c < COLUMNS; c++)
            n += b->height[c] > 0 && b->tower[c][b->height[c] - 1] >> 1 == move - SCORE;
        return n >= 2;
    }
    int column = move % 5, start = move / 5 % 4, to = move / 20 % 8, from = move / 160;
    if (to >= from)
        to++;
    return b->height[column] == 0 && (s->artists >> from & 1) && !(s->artists >> to & 1) &&
           yields(s, from, to, around[to][start]);
}

static void build(Board *b, int column, const char *tower)
{
    static const char letters[] = "rRbByYpP";
    for (; *tower; tower++)
        b->tower[column][b->height[column]++] = (uint8_t)(strchr(letters, *tower) - letters);
    if (b->height[column]) {
        b->occupied |= (uint8_t)(1 << column);
        b->topped[b->tower[column][b->height[column] - 1] >> 1] |= (uint8_t)(1 << column);
    }
}

static void worked_checks(void)
{
    /* The table of circles: each inner stack twice, each outer one once. */
    int uses[3] = {0};
    for (int i = 0; i < STACKS; i++) {
        int n = 0;
        for (int c = 0; c < CIRCLES; c++) {
            assert(touches(c, i) == (int)(touching[c] >> i & 1));
            n += touches(c, i);
        }
        uses[n]++;
    }
    assert(uses[0] == 0 && uses[1] == 12 && uses[2] == 12);

    /* Heights 1 2 3 3 4, purple tops on 1, 4, 5: 13, and 15 over a +2. */
    static const char *towers[COLUMNS] = {"p", "rb", "rby", "ybP", "rbyp"};
    State s;
    deal(&s, 2, 1);
    for (int c = 0; c < COLUMNS; c++)
        build(&s.board[0], c, towers[c]);
    State t = s;
    play(&t, SCORE + 3);
    assert(t.score[0] == 13 && t.laid == 3 && t.seat == 1 && t.board[0].occupied == 0x1e);
    t = s;
    t.laid = 11;
    play(&t, SCORE + 3);
    assert(t.score[0] == 15 && t.laid == 14);

    /* Tops of three towers. */
    t = s;
    play(&t, TOPS + 7 - 1);
    assert(t.score[0] == 3 && t.laid == 3);

    /* A full board does not pick; moves are two or more of a colour, and any tops. */
    Move moves[MOVE_ROOM];
    assert(list_moves(&s, moves) == 1 + 31 && moves[0] == SCORE + 3);

    /* A hand space in seat 0's turn leaves the last turn to seat 1. */
    t = s;
    t.laid = 38;
    play(&t, TOPS + 3 - 1);
    assert(t.laid == 40 && t.last_round && !t.over && t.score[0] == 2);
    list_moves(&t, moves);
    play(&t, moves[0]);
    assert(t.over && list_moves(&t, moves) == 0);
    /* Hands of another number do nothing; stones beyond the last space neither. */
    t = s;
    t.seats = 3;
    t.laid = 38;
    play(&t, TOPS + 3 - 1);
    assert(!t.last_round);

    /* A seat with no stone and no pick is stuck, also in the last round. */
    Result end = {0};
    t = s;
    t.last_round = 1;
    t.laid = 62;
    t.seat = 1;
    t.top[RING] = t.top[STAR] = 0;
    assert(list_moves(&t, moves) == 0);
    t.board[0].objective[0] = 5;
    t.board[0].objective[1] = 7;
    finish(&t, &end);
    assert(end.reason == STUCK && end.score[0] == 5 && end.win[0] && !end.win[1]);

    /* Objectives of this board: purple tops on three, thirteen stones. */
    static const int met[10] = {0, 0, 0, 0, 0, 0, 0, 5, 0, 0};
    for (int card = 0; card < 10; card++)
        assert(objective_points(&s.board[0], card) == met[card]);
    Board b;
    memset(&b, 0, sizeof b);
    for (int card = 0; card < 10; card++)
        assert(objective_points(&b, card) == 0);
    build(&b, 1, "RYb");
    build(&b, 3, "rPb");
    static const int met2[10] = {7, 0, 0, 5, 0, 0, 5, 0, 0, 5};
    for (int card = 0; card < 10; card++)
        assert(objective_points(&b, card) == met2[card]);
}
#endif

#include "drive.h"
