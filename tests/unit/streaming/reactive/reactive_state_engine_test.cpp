#include "streaming/reactive/reactive_state_engine.h"

#include <catch2/catch.hpp>

#include "tests/unit/streaming/reactive/twin_script.h"

using namespace pelorus::testing;

namespace {

void requireTwin(const std::string& metric, int seed = 7) {
    INFO(metric);
    REQUIRE(shown(twinScript(metric, seed) + "(out.row == twin.row).all() and eqObj(out.m, twin.m)") == "true");
}

}  // namespace

TEST_CASE("the engine gives the rows of context by, to the bit, however they are cut") {
    for (const char* metric : {"x - prev(x)",
                               "move(d, 3)",
                               "deltas(k)",
                               "deltas(x, 2)",
                               "ratios(x)",
                               "percentChange(y)",
                               "prev(sym)",
                               "ffill(x)",
                               "ffill(d)",
                               "ffill(x, 1)",
                               "msum(x, 5)",
                               "msum(k, 5)",
                               "mavg(x, 5)",
                               "mavg(x, 5, 2)",
                               "mavg(x, 1 2 3)",
                               "mstd(x, 6)",
                               "mvar(x, 6)",
                               "mstdp(y, 3)",
                               "mskew(x, 9)",
                               "mcount(x, 4)",
                               "mmax(x, 4)",
                               "mmin(k, 6)",
                               "mimax(x, 5)",
                               "mmed(x, 5)",
                               "mpercentile(x, 30, 6)",
                               "mrank(x, true, 5)",
                               "mcorr(x, y, 7)",
                               "mcovar(x, y, 7)",
                               "mbeta(x, y, 7)",
                               "mwavg(x, y, 5)",
                               "mprod(y, 3)",
                               "mfirst(x, 3)",
                               "mlastNot(x, 3)",
                               "cumsum(x)",
                               "cumsum(k)",
                               "cumavg(x)",
                               "cumstd(x)",
                               "cummax(x)",
                               "cummin(k)",
                               "cumcount(x)",
                               "cumcorr(x, y)",
                               "cumwavg(x, y)",
                               "ema(x, 5)",
                               "ema(x, 5, true)",
                               "sma(x, 4)",
                               "wma(x, 4)",
                               "dema(x, 3)",
                               "tema(x, 3)",
                               "trima(x, 5)",
                               "kama(x, 4)",
                               "t3(x, 2)",
                               "gema(x, 3, 0.4)",
                               "wilder(x, 3)",
                               "linearTimeTrend(x, 4)[1]",
                               "mslr(x, y, 5)[0]",
                               "ewmMean(x, com=0.5)",
                               "ewmStd(x, span=4)",
                               "ewmVar(y, alpha=0.3)",
                               "talib(msum, x, 3)",
                               "talib(mstd, x, 3)",
                               "moving(avg, x, 4)",
                               "moving(wavg, (x, y), 4)",
                               "iif(x > prev(x), x, y)",
                               "nullFill(msum(x, 3), 0) * 2 + k",
                               "msum(deltas(x), 4)",
                               "mavg(mavg(x, 3), 3) - ema(y, 2)",
                               "abs(x - y)",
                               "rowSum(x, y)",
                               "5",
                               "x in 1.0 2.0",
                               "cumprod(x / 50)",
                               "cumprod(k)",
                               "msumTopN(x, y, 6, 2)",
                               "mcorrTopN(x, y, k, 9, 4)",
                               "mpercentileTopN(x, y, 40, 6, 3)",
                               "window(avg, x, -4:-1)",
                               "trueRange(x, y, k)",
                               "valueChanged(k)",
                               "rowAvg(movingWindowData(x, 3))",
                               "mimaxLast(k, 5)",
                               "mimin(x, 4, 1)",
                               "ma(x, 3, 5)",
                               "cumPositiveStreak(x - y)",
                               "topRange(x)",
                               "lowRange(k)",
                               "talibNull(x, y)[1]",
                               "dynamicGroupCumsum(x, y, k % 3, prev(k) % 3, 3)[1]",
                               "dynamicGroupCumcount(k % 3, prev(k) % 3, 3)[2]",
                               "rowSum(prev(movingWindowData(x, 2)))",
                               "conditionalIterate(x > y, x, msum{, 3})",
                               "conditionalIterate(b, k, mmax{, 2})",
                               "stateIterate(x, y, 2, mavg{, 3}, 0.5 0.25)",
                               "stateMavg(x, 3)",
                               "cumrank(x)",
                               "cumrank(k, false, false, 'average')",
                               "cumrank(k, percent=true)",
                               "cumdenseRank(x, false)",
                               "cumdenseRank(k, true, false, true, 'minmax')",
                               "cummed(x)",
                               "cumpercentile(k, 30, 'nearest')",
                               "cumnunique(sym)",
                               "cumnunique(k, true)",
                               "cummdd(y)",
                               "cummdd(y, false)",
                               "cumfirstNot(k)",
                               "cumfirstNot(sym, `b)",
                               "cumlastNot(k, 3)",
                               "cumsumTopN(k, y, 3)",
                               "cumavgTopN(x, d, 3, false)",
                               "cumstdTopN(x, k, 4, true, 'all')",
                               "cumbetaTopN(x, y, ts, 4)",
                               "cumskewTopN(x, y, 5, false)",
                               "cumpercentileTopN(x, k, 40, 3)",
                               "ewmCov(x, com=0.5, other=y)",
                               "ewmCorr(x, span=4, other=y)",
                               "prevState(k)",
                               "prevState(b)",
                               "sumbars(y, 90)",
                               "iterate(1.5 2, 0.5 0.25, x)",
                               "iterate(1, 2, k % 2)",
                               "segmentby(cumsum, x, k % 2)",
                               "segmentby(cummax, k, b)",
                               "segmentby(cumrank, x, b)",
                               "accumulate(def(a, v) {return nullFill(a, 0.0) * 0.5 + nullFill(v, 0.0)}, x)",
                               "accumulate(def(a, v) {return nullFill(a, 0.0) * 0.5 + nullFill(v, 0.0)}, x, 7.0)",
                               "genericStateIterate(x, y, 3, def(last, v) {return last.sum() * 0.25 + v})",
                               "genericStateIterate((x, k), y, 0, def(last, v, w) {return last * 0.5 + w})",
                               "genericStateIterate([], y, 2, def(last) {return last.avg()})",
                               "genericTStateIterate(ts, x, y, 3s, def(last, v) {return last.sum() * 0.1 + v})",
                               "genericTStateIterate(row, k, y, 9, def(last, v) {return last.max() - v}, true)"})
        requireTwin(metric);
}

TEST_CASE("windows in time go on with the rows of context by") {
    for (const char* metric : {"tmsum(ts, x, 5s)",
                               "tmsum(ts, k, 3000)",
                               "tmsum(day, x, 1M)",
                               "tmsum(row, k, 30)",
                               "tmsum2(ts, x, 4s)",
                               "tmavg(ts, x, 20s)",
                               "tmprod(ts, x / 40, 3s)",
                               "tmstd(ts, x, 9s)",
                               "tmstdp(ts, x, 9s)",
                               "tmvar(ts, y, 9s)",
                               "tmvarp(ts, y, 9s)",
                               "tmskew(ts, y, 9s)",
                               "tmskew(ts, y, 9s, false)",
                               "tmkurtosis(ts, y, 9s)",
                               "tmcorr(ts, x, y, 9s)",
                               "tmcovar(ts, x, y, 9s)",
                               "tmcovarp(day, x, y, 20d)",
                               "tmbeta(ts, x, y, 9s)",
                               "tmwsum(ts, x, y, 9s)",
                               "tmwavg(ts, x, y, 9s)",
                               "tmmax(ts, x, 6s)",
                               "tmmin(ts, k, 6s)",
                               "tmcount(ts, x, 6s)",
                               "tmfirst(ts, x, 6s)",
                               "tmlast(ts, sym, 6s)",
                               "tmmed(ts, x, 6s)",
                               "tmpercentile(ts, x, 30, 6s)",
                               "tmrank(ts, x, true, 6s)",
                               "tmove(ts, x, 6s)",
                               "tmTopRange(ts, x, 6s)",
                               "tmLowRange(day, k, 3M)",
                               "tmavgTopN(ts, x, y, 9s, 3)",
                               "tmpercentileTopN(ts, x, y, 40, 9s, 3)",
                               "tmoving(wavg, ts, (x, y), 6s)",
                               "rowSum(tmovingWindowData(ts, x, 6s))"})
        requireTwin(metric);
}

TEST_CASE("a time that falls counts as the latest one before it") {
    for (const char* metric : {"tmsum(t, v, 2)", "tmfirst(t, v, 2)"}) {
        INFO(metric);
        const std::string made =
            "d = table(1:0, `t`v, [INT, LONG]); r = table(9:0, [`s], [LONG]); eng = "
            "createReactiveStateEngine(`falling, <" +
            std::string(metric) +
            ">, d, r); eng.append!(table(5 6 as t, 1 2 as v)); eng.append!(table(3 7 as t, 4 8 as "
            "v)); dropStreamEngine(`falling); ";
        const bool isSum = std::string(metric).starts_with("tmsum");
        REQUIRE(shown(made + "r.s") == (isSum ? "[1,3,7,14]" : "[1,1,1,2]"));
    }
}

TEST_CASE("functions marked @state give what they give in context by") {
    const std::string functions =
        "@state\ndef up(v, n) { d = v - prev(v); s = iif(d > 0, d, 0.0); if (n > 2) { s = s * 2 } else { s = -s }; "
        "total = 0.0; for (w in 2 3) { total = total + msum(s, w) }; return total + mavg(s, n) }\n"
        "@state\ndef two(v) { a, b = linearTimeTrend(v, 3); return a, b }\n";
    REQUIRE(shown(functions + twinScript("up(x, 3)", 3) + "eqObj(out.m, twin.m)") == "true");
    REQUIRE(shown(functions + "t = table(1:0, `v, [DOUBLE]); out = table(9:0, `a`b, [DOUBLE, DOUBLE]); eng = "
                              "createReactiveStateEngine(`two, <two(v)>, t, out); eng.append!(table(1. 2. 4. as v)); "
                              "dropStreamEngine(`two); out[2].values()") == "(0.833333,1.5)");
}

TEST_CASE("functions of scripts take rows of array vectors, and values that an if asks, one by one") {
    const std::string functions =
        "def press(bid) { total = 0.0; for (i in 0:3) { if (bid[i] > 2) total += bid[i] }; return total }\n"
        "def side(v) { if (v > 1) return 1.0 else return -1.0 }\n"
        "@state\ndef both(bid, v) { a, b = press(bid), side(v); return msum(a, 2, 1) + b }\n";
    REQUIRE(shown(functions +
                  "levels = array(DOUBLE[], 0).append!([1. 3. 5., 2. 2. 4.]); t = table(levels as bid, 1. 2. as v); "
                  "out = table(9:0, [`m], [DOUBLE]); eng = createReactiveStateEngine(`rows, <both(bid, v)>, t, out); "
                  "eng.append!(t); eng.append!(t[1:2]); dropStreamEngine(`rows); out.m") == "[7,13,9]");
}

TEST_CASE("rows that a filter leaves out count for later ones") {
    const std::string made =
        "d = table(1:0, `sym`v, [SYMBOL, INT]); r = table(9:0, `sym`a`b, [SYMBOL, INT, INT]); "
        "eng = createReactiveStateEngine(`filtered, <[v - prev(v), msum(v, 2)]>, d, r, `sym, <v != prev(v)>); "
        "eng.append!(table(`a`b`a`a`b as sym, 1 5 3 3 2 as v)); dropStreamEngine(`filtered); ";
    REQUIRE(shown(made + "r.a") == "[,,2,-3]");
    REQUIRE(shown(made + "r.b") == "[,,4,7]");
}

TEST_CASE("purged keys start anew") {
    REQUIRE(
        shown("d = table(1:0, `sym`v, [SYMBOL, INT]); r = table(9:0, `sym`s, [SYMBOL, LONG]); eng = "
              "createReactiveStateEngine(`purged, <cumsum(v)>, d, r, `sym, keyPurgeFilter=<s > 5>, "
              "keyPurgeFreqInSecond=0); eng.append!(table(`a`b as sym, 9 2 as v)); eng.append!(table(`a`b as sym, 1 2 "
              "as v)); dropStreamEngine(`purged); r.s") == "[9,2,1,4]");
}

TEST_CASE("rows come by every door, and go to a handler, another engine or a table") {
    REQUIRE(shown("d = table(1:0, `k`v, [INT, INT]); share table(9:0, `k`s, [INT, LONG]) as sums9; "
                  "below = createReactiveStateEngine(`below, <cumsum(p)>, table(1:0, `k`p, [INT, LONG]), sums9, `k); "
                  "eng = createReactiveStateEngine(`above, <msum(v, 1)>, d, below, `k); insert into eng values(1, 10); "
                  "tableInsert(eng, 1, 5); eng.append!(table([1] as k, [1] as v)); "
                  "getStreamEngine(`above).append!(table([2] as k, [3] as v)); dropStreamEngine(`above); "
                  "dropStreamEngine(`below); r = exec s from sums9; undef(`sums9, SHARED); r") == "[10,15,16,3]");
    REQUIRE(
        shown("d = table(1:0, `v, [INT]); share table(9:0, `v, [INT]) as handled9; eng = "
              "createReactiveStateEngine(`handled, <v * 2>, d, keyColumn=NULL, outputHandler=append!{handled9}, "
              "msgAsTable=true); eng.append!(table(1 2 as v)); dropStreamEngine(`handled); r = exec v from handled9; "
              "undef(`handled9, SHARED); r") == "[2,4]");
}

TEST_CASE("what can't be computed row by row is refused with the metric and the reason, and nothing is made") {
    const auto refused = [](const std::string& metric, const std::string& with) {
        return fails(
                   "d = table(1:0, `k`v, [INT, DOUBLE]); r = table(9:0, `k`s, [INT, DOUBLE]); "
                   "def plain(x) { return prev(x) + 1 }\n createReactiveStateEngine(`refused, " +
                       metric + ", d, r, `k)",
                   with) &&
               shown("count(getStreamEngineList())") == "0";
    };
    REQUIRE(refused("<avg(v)>", "S03005"));
    REQUIRE(refused("<next(v)>", "next(v)"));
    REQUIRE(refused("<move(v, -1)>", "move(v, -1)"));
    REQUIRE(refused("<mavg(v, v)>", "mavg(v, v)"));
    REQUIRE(refused("<each(prev, v)>", "prev looks at other rows"));
    REQUIRE(refused("<plain(v)>", "plain calls functions that look at other rows"));
    REQUIRE(refused("<nothing(v)>", "nothing"));
    REQUIRE(refused("<[v, v]>", "S03042"));
    REQUIRE(refused("\"v\"", "metacode"));
    REQUIRE(fails("d = table(1:0, `k`v, [INT, DOUBLE]); createReactiveStateEngine(`refused, <v>, d, d, `none)",
                  "no column none"));
    REQUIRE(
        fails("d = table(1:0, `v, [DOUBLE]); r = table(9:0, `s, [DOUBLE]); createReactiveStateEngine(`twice, <v>, d, "
              "r); createReactiveStateEngine(`twice, <v>, d, r)",
              "S03001"));
    REQUIRE(fails("getStreamEngine(`twice).append!(table(`a as v))", ""));
    shown("dropStreamEngine(`twice)");
    REQUIRE(fails("dropStreamEngine(`twice)", "There is no stream engine twice"));
}

TEST_CASE("purged keys give their places back, and the others go on") {
    // 50 keys an append, of which the last stays: its sums go on, and the engine does not grow.
    const std::string metrics =
        "[cumsum(v), msum(v, 2), prev(v), prev(s), ffill(v), deltas(v), mmed(v, 3), tmsum(v, v, 2), "
        "conditionalIterate(v > 100, v, ffill), talib(msum, v, 2), mcount(v, 2), talibNull(v, v)[0]]";
    const std::string made =
        "d = table(1:0, `k`v`s, [LONG, LONG, STRING]); r = table(9:0, `k join (\"m\" + string(0..11)), [LONG] join "
        "take(LONG, 3) join STRING join take(LONG, 5) join [INT, INT, LONG]);\n" +
        ("eng = createReactiveStateEngine(`places, <" + metrics +
         ">, d, r, `k, keyPurgeFilter=<k != 7777>, keyPurgeFreqInSecond=0); bytes = 0l..39;\n"
         "for (i in 0..39) { eng.append!(table(7777l join (i * 50l + 1l..50l) as k, take(1l + i, 51) as v, take(`x, "
         "51) as "
         "s)); bytes[i] = (exec memoryInUsed from getStreamEngineStat().ReactiveStreamEngine where name = `places)[0] "
         "};\n"
         "groups = exec numGroups from getStreamEngineStat().ReactiveStreamEngine where name = `places; "
         "dropStreamEngine(`places); mine = select * from r where k = 7777; ");
    REQUIRE(shown(made + "groups[0] <= 102") == "true");
    REQUIRE(shown(made + "bytes[39] < 3 * bytes[2]") == "true");
    REQUIRE(shown(made + "mine.m0[39]") == "820");
    REQUIRE(shown(made + "mine.m1[39]") == "79");
    REQUIRE(shown(made + "mine.m2[39]") == "39");
    REQUIRE(shown(made + "mine.m3[39]") == "x");
    REQUIRE(shown(made + "mine.m5[39]") == "1");
    REQUIRE(shown(made + "(select * from r where k = 51).m0") == "[2]");
}

TEST_CASE("a function by column goes on with each place of the rows of a key, also when rows get longer") {
    REQUIRE(shown("levels = array(DOUBLE[], 0).append!([1. 3., 2. 2. 4., 5. 1. 1., 7. 8.]); t = table(`a`a`b`a as sym, "
                  "levels as lv); twin = select byColumn(cumsum, lv) as m from t context by sym; out = table(9:0, "
                  "`sym`m, [SYMBOL, DOUBLE[]]); eng = createReactiveStateEngine(`places, <byColumn(cumsum, lv)>, t, "
                  "out, `sym); eng.append!(t[0:2]); eng.append!(t[2:4]); dropStreamEngine(`places); "
                  "out.m[0 1 3]") == "[[1,3],[3,5,4],[10,13]]");
}

TEST_CASE("explain names how each metric runs, once for equal parts, and marks what is slow") {
    REQUIRE(shown("t = table(1:0, `sym`x, [SYMBOL, DOUBLE]); out = table(9:0, `sym`a`b`c, [SYMBOL, DOUBLE, DOUBLE, "
                  "DOUBLE]); eng = createReactiveStateEngine(`told, <[msum(deltas(x), 3), deltas(x) * 2, moving(avg, "
                  "x, 4)]>, t, out, `sym); lines = explain(eng).split(\"\\n\"); dropStreamEngine(`told); lines") ==
            "[\"reactive state engine told by sym: 3 metrics, 4 steps, 1 slow\",\"msum(deltas(x), 3)\",\"  roll "
            "deltas(x)\",\"  roll msum(deltas(x), 3)\",\"deltas(x) * 2\",\"  program deltas(x) * 2\",\"moving(avg, "
            "x, 4)\",\"  kept 3 rows: moving(avg, x, 4)  (slow)\"]");
}

TEST_CASE("getStreamEngineState counts the rows of each key") {
    const std::string made =
        "t = table(1:0, `sym`k`x, [SYMBOL, INT, DOUBLE]); out = table(9:0, `sym`k`s, [SYMBOL, INT, DOUBLE]); eng = "
        "createReactiveStateEngine(`kept, <cumsum(x)>, t, out, `sym`k); eng.append!(table(`a`b`a`a as sym, 1 1 2 1 as "
        "k, 1. 2. 3. 4. as x)); s = getStreamEngineState(`kept); one = getStreamEngineState(`kept, (`a, 1)); "
        "dropStreamEngine(`kept); ";
    REQUIRE(shown(made + "s.rows") == "[2,1,1]");
    REQUIRE(shown(made + "one.rows") == "[2]");
    REQUIRE(fails("getStreamEngineState(`kept)", "no stream engine kept"));
}
