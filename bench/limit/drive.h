/*
 * The two entry points. Included last by a game, which has defined State, MIN_SEATS_HERE,
 * MAX_SEATS_HERE, MOVE_ROOM and:
 *   deal(state, seats, seed)      the deal of that seed
 *   list_moves(state, moves)      ascending; none when the game is over
 *   play(state, move)
 *   finish(state, result)
 * and in a CHECK build also check_state, is_legal, MOVE_NUMBERS and worked_checks.
 */
int64_t run(int64_t seats, int64_t seed, int64_t first, int64_t games, int64_t *out);
int64_t perft(int64_t seats, int64_t seed, int64_t depth);

#ifdef CHECK
/* Each listed move is legal by itself, each legal one is listed, in ascending order. */
static void check_list(const State *s, const Move *moves, int n)
{
    int i = 0;
    for (int move = 0; move < MOVE_NUMBERS; move++) {
        if (is_legal(s, move)) {
            assert(i < n && moves[i] == move);
            i++;
        }
    }
    assert(i == n);
}
#endif

int64_t run(int64_t seats, int64_t seed, int64_t first, int64_t games, int64_t *out)
{
    Move moves[MOVE_ROOM];
    if (seats < MIN_SEATS_HERE || seats > MAX_SEATS_HERE)
        return -1;
    memset(out, 0, OUT_LEN * sizeof *out);
    for (int64_t k = first; k < first + games; k++) {
        uint64_t gs = game_seed((uint64_t)seed, (uint64_t)k);
        Rng player = rng_seed(gs, 1);
        uint32_t h = 2166136261u;
        int64_t plies = 0;
        State s;
        Result end = {0};
        int n;

        deal(&s, (int)seats, gs);
        while ((n = list_moves(&s, moves)) > 0) {
#ifdef CHECK
            check_state(&s);
            if (k % 16 == 0)
                check_list(&s, moves, n);
#endif
            int move = moves[below(&player, (uint32_t)n)];
            play(&s, move);
            h = digest(h, (uint32_t)move);
            plies++;
        }
#ifdef CHECK
        check_state(&s);
        if (k % 16 == 0)
            check_list(&s, moves, 0);
#endif
        finish(&s, &end);
        for (int i = 0; i < seats; i++) {
            h = digest(h, (uint32_t)(end.score[i] + 1000));
            out[3 + i] += end.score[i];
            out[8 + i] += end.win[i];
        }
        out[0] += plies;
        out[1] += h;
        out[2] += end.reshuffles;
        out[13 + end.reason]++;
    }
    return 0;
}

static int64_t sequences(const State *s, int64_t depth)
{
    Move moves[MOVE_ROOM];
    int64_t total = 0;
    int n = list_moves(s, moves);
    if (depth == 1)
        return n;
    for (int i = 0; i < n; i++) {
        State next = *s;
        play(&next, moves[i]);
        total += sequences(&next, depth - 1);
    }
    return total;
}

int64_t perft(int64_t seats, int64_t seed, int64_t depth)
{
    State s;
    if (seats < MIN_SEATS_HERE || seats > MAX_SEATS_HERE || depth < 0)
        return -1;
    if (depth == 0)
        return 1;
    deal(&s, (int)seats, (uint64_t)seed);
    return sequences(&s, depth);
}

#ifdef CHECK
/* Players that lean to their lowest or highest move reach ends that chance seldom reaches. */
static void leaning(int seats, int64_t seed, int64_t games)
{
    Move moves[MOVE_ROOM];
    int64_t ends[2][6] = {{0}};
    for (int64_t k = 0; k < games; k++) {
        Rng player = rng_seed((uint64_t)seed, (uint64_t)k);
        uint32_t odds = 1 + below(&player, 64);
        int high = k & 1, n;
        State s;
        Result end = {0};
        deal(&s, seats, (uint64_t)k);
        while ((n = list_moves(&s, moves)) > 0) {
            check_state(&s);
            check_list(&s, moves, n);
            int i = high ? n - 1 : 0;
            if (below(&player, odds) == 0)
                i = (int)below(&player, (uint32_t)n);
            play(&s, moves[i]);
        }
        check_state(&s);
        check_list(&s, moves, 0);
        finish(&s, &end);
        ends[high][end.reason]++;
    }
    for (int i = 0; i < 12; i++)
        printf("%lld%c", (long long)ends[i / 6][i % 6], i == 11 ? '\n' : ' ');
}

int main(int argc, char **argv)
{
    int64_t out[OUT_LEN];
    if (argc != 5)
        return 2;
    worked_checks();
    if (run(atoll(argv[1]), atoll(argv[2]), atoll(argv[3]), atoll(argv[4]), out))
        return 2;
    leaning(atoi(argv[1]), atoll(argv[2]), atoll(argv[4]) / 20);
    for (int i = 0; i < OUT_LEN; i++)
        printf("%lld%c", (long long)out[i], i == OUT_LEN - 1 ? '\n' : ' ');
    return 0;
}
#endif
