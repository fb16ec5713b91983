/* pyramids: a path of 75, fifteen groups of five, 2 to 5 seats. */
#include "limit.h"

enum {
    PLACES = 75,
    GROUPS = 15,
    ALIKE = 5,
    MOVE_NUMBERS = 75,
    MOVE_ROOM = 80,
    MIN_SEATS_HERE = 2,
    MAX_SEATS_HERE = 5
};

typedef struct {
    uint64_t left[2];      /* pyramids still on the path: bit place - 1 */
    uint8_t path[PLACES];  /* group at place - 1 */
    uint8_t off[GROUPS];   /* off the path, held or in the eye */
    uint8_t held[GROUPS][MAX_SEATS];
    uint8_t pawn[MAX_SEATS];
    uint8_t score[MAX_SEATS];
    uint8_t seats;
    uint8_t seat;
    uint8_t rear; /* place of the rearmost pawn */
    uint8_t over;
} State;

static void deal(State *s, int seats, uint64_t seed)
{
    Rng rng = rng_seed(seed, 0);
    memset(s, 0, sizeof *s);
    for (int g = 0; g < GROUPS; g++)
        memset(s->path + g * ALIKE, g, ALIKE);
    shuffle(&rng, s->path, PLACES);
    s->left[0] = ~UINT64_C(0);
    s->left[1] = (UINT64_C(1) << (PLACES - 64)) - 1;
    s->seats = (uint8_t)seats;
}

/* Any place ahead that still holds a pyramid. */
static int list_moves(const State *s, Move *moves)
{
    if (s->over)
        return 0;
    Move *at = moves;
    int pawn = s->pawn[s->seat];
    uint64_t high = s->left[1];
    if (pawn < 64) {
        for (uint64_t set = s->left[0] >> pawn << pawn; set; set &= set - 1)
            *at++ = (Move)lowest(set);
    } else {
        high = high >> (pawn - 64) << (pawn - 64);
    }
    for (; high; high &= high - 1)
        *at++ = (Move)(64 + lowest(high));
    return (int)(at - moves);
}

/* Most 3, second 2, a sole holder 5; ranked by number held, then by pawn. */
static void score_group(State *s, int g)
{
    int best = 0, second = 0;
    for (int i = 0; i < s->seats; i++) {
        int held = s->held[g][i];
        int rank = held ? held << 16 | s->pawn[i] << 8 | i : 0;
        int lower = rank < best ? rank : best;
        best = rank > best ? rank : best;
        second = lower > second ? lower : second;
    }
    if (best == 0)
        return;
    s->score[best & 0xff] = (uint8_t)(s->score[best & 0xff] + (second ? 3 : 5));
    s->score[second & 0xff] = (uint8_t)(s->score[second & 0xff] + (second ? 2 : 0));
}

static void play(State *s, int move)
{
    int seat = s->seat;
    int was = s->pawn[seat];
    int g = s->path[move];
    uint32_t complete = 0;

    s->left[move >> 6] &= ~(UINT64_C(1) << (move & 63));
    s->pawn[seat] = (uint8_t)(move + 1);
    s->held[g][seat]++;
    if (++s->off[g] == ALIKE)
        complete |= 1u << g;

    /* What every pawn has passed goes to the eye. */
    if (was == s->rear) {
        int rear = s->pawn[0];
        for (int i = 1; i < s->seats; i++)
            if (s->pawn[i] < rear)
                rear = s->pawn[i];
        s->rear = (uint8_t)rear;
        for (int w = 0; w < 2; w++) {
            int up_to = rear - 64 * w;
            if (up_to <= 0)
                break;
            uint64_t behind = up_to >= 64 ? s->left[w] : s->left[w] & ((UINT64_C(1) << up_to) - 1);
            s->left[w] ^= behind;
            for (; behind; behind &= behind - 1) {
                g = s->path[64 * w + lowest(behind)];
                complete |= (uint32_t)(++s->off[g] == ALIKE) << g;
            }
        }
    }

    /* Seats with a pyramid ahead play on; a single one takes the rest. */
    int top = s->left[1] ? 65 + highest(s->left[1]) : s->left[0] ? 1 + highest(s->left[0]) : 0;
    int active = 0, last = 0;
    for (int i = 0; i < s->seats; i++) {
        if (s->pawn[i] < top) {
            active++;
            last = i;
        }
    }
    if (active < 2) {
        s->over = 1;
        for (int w = 0; w < 2; w++) {
            for (uint64_t rest = s->left[w]; rest; rest &= rest - 1) {
                g = s->path[64 * w + lowest(rest)];
                s->held[g][last]++;
                if (++s->off[g] == ALIKE)
                    complete |= 1u << g;
            }
            s->left[w] = 0;
        }
    } else {
        do
            seat = seat + 1 == s->seats ? 0 : seat + 1;
        while (s->pawn[seat] >= top);
        s->seat = (uint8_t)seat;
    }

    for (; complete; complete &= complete - 1)
        score_group(s, lowest(complete));
}

/* Most points, then the pawn further along. */
static void finish(const State *s, Result *end)
{
    int best = -1, winner = 0;
    for (int i = 0; i < s->seats; i++) {
        int rank = s->score[i] * 128 + s->pawn[i];
        end->score[i] = s->score[i];
        if (rank > best) {
            best = rank;
            winner = i;
        }
    }
    end->win[winner] = 1;
}

#ifdef CHECK
static int on_path(const State *s, int place)
{
    return (int)((s->left[(place - 1) >> 6] >> ((place - 1) & 63)) & 1);
}

static int ahead(const State *s, int seat)
{
    int n = 0;
    for (int place = s->pawn[seat] + 1; place <= PLACES; place++)
        n += on_path(s, place);
    return n;
}

static void check_state(const State *s)
{
    int group[GROUPS] = {0}, given = 0, points = 0, rear = PLACES, active = 0;
    for (int place = 1; place <= PLACES; place++)
        if (on_path(s, place))
            group[s->path[place - 1]]++;
    for (int g = 0; g < GROUPS; g++) {
        int held = 0;
        for (int i = 0; i < s->seats; i++)
            held += s->held[g][i];
        assert(held <= s->off[g] && group[g] + s->off[g] == ALIKE);
        if (s->off[g] == ALIKE && held > 0)
            given += 5;
    }
    for (int i = 0; i < s->seats; i++) {
        points += s->score[i];
        active += ahead(s, i) > 0;
        if (s->pawn[i] < rear)
            rear = s->pawn[i];
        if (s->pawn[i])
            assert(!on_path(s, s->pawn[i]));
        for (int j = 0; j < i; j++)
            assert(s->pawn[i] != s->pawn[j] || s->pawn[i] == 0);
    }
    assert(points == given && s->rear == rear && (s->left[1] >> (PLACES - 64)) == 0);
    for (int place = 1; place < rear; place++)
        assert(!on_path(s, place));
    if (s->over)
        assert(s->left[0] == 0 && s->left[1] == 0);
    else
        assert(active >= 2 && ahead(s, s->seat) > 0);
}

static int is_legal(const State *s, int move)
{
    return !s->over && move + 1 > s->pawn[s->seat] && on_path(s, move + 1);
}

static State ordered(int seats)
{
    State s;
    deal(&s, seats, 0);
    for (int p = 0; p < PLACES; p++)
        s.path[p] = (uint8_t)(p % GROUPS);
    return s;
}

static void worked_checks(void)
{
    static const int places[5] = {16, 31, 46, 61, 75};
    State s = ordered(2);
    Result end = {0};
    for (int i = 0; i < 5; i++) {
        check_state(&s);
        assert(is_legal(&s, places[i] - 1));
        play(&s, places[i] - 1);
        if (i == 3)
            assert(s.score[0] == 2 && s.score[1] == 3);
    }
    check_state(&s);
    finish(&s, &end);
    assert(s.over && end.score[0] == 7 && end.score[1] == 68 && end.win[1] && !end.win[0]);

    s = ordered(2);
    play(&s, 74);
    assert(s.over && s.pawn[1] == 0);
    check_state(&s);

    s = ordered(3);
    s.held[0][0] = 2, s.held[0][1] = 2, s.held[0][2] = 1;
    s.pawn[0] = 30, s.pawn[1] = 41, s.pawn[2] = 50;
    score_group(&s, 0);
    assert(s.score[0] == 2 && s.score[1] == 3 && s.score[2] == 0);

    s = ordered(2);
    s.held[0][0] = 1;
    score_group(&s, 0);
    assert(s.score[0] == 5 && s.score[1] == 0);
    s = ordered(2);
    score_group(&s, 0);
    assert(s.score[0] == 0 && s.score[1] == 0);
}
#endif

#include "drive.h"
