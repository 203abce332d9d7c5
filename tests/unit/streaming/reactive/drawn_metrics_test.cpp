// Every function that looks back, by calls drawn from its signature: the engine gives the rows of the query, to the
// bit, or refuses the metric because the function looks ahead.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <map>
#include <random>
#include <set>
#include <vector>

#include "runtime/registry/registry.h"
#include "tests/unit/streaming/reactive/twin_script.h"

using namespace pelorus;
using namespace pelorus::testing;

namespace {

// Functions of which no row is final before all rows are there, those that take other forms than columns, and those
// that a script can't give columns to.
const std::set<std::string>& withoutMetrics() {
    static const std::set<std::string> names = {
        // rows to come, or all rows
        "bfill", "next", "nextState", "isPeak", "isValley", "volumeBar", "interpolate", "lfill", "asof", "binsrch",
        "denseRank", "rank", "isSorted", "sort", "isort", "isortTop", "reverse",
        // they give other rows, or numbers of rows among all
        "rolling", "movingWindowIndex", "movingTopNIndex", "segment", "temporalDeltas", "datetimeDeltas",
        // a window of rows without NULL has no bound; one that ends later
        "movingValid", "twindow"};
    return names;
}

using Choices = std::vector<std::string>;

// Returns the arguments that a parameter may get; none for one that the test does not know.
Choices choicesFor(const std::string& function, const std::string& parameter, bool isOptional) {
    static const std::map<std::string, Choices> known = {
        {"X", {"x", "y", "k", "x - y"}},
        {"obj", {"x", "k", "sym"}},
        {"Y", {"y", "x"}},
        {"S", {"y", "k", "ts", "d"}},
        {"T", {"ts", "row"}},
        {"high", {"x + 5"}},
        {"low", {"x"}},
        {"close", {"x + 2"}},
        {"other", {"y", "k"}},
        {"minPeriods", {"1"}},
        {"ascending", {"true", "false"}},
        {"ignoreNA", {"true", "false"}},
        {"ignoreNull", {"true", "false"}},
        {"tiesMethod", {"'min'", "'max'", "'average'"}},
        {"percent", {"true", "false"}},
        {"norm", {"'max'", "'minmax'"}},
        {"interpolation", {"'linear'", "'lower'", "'higher'", "'nearest'", "'midpoint'"}},
        {"biased", {"true", "false"}},
        {"ratio", {"true", "false"}},
        {"useMedian", {"true", "false"}},
        {"warmup", {"true", "false"}},
        {"adjust", {"true", "false"}},
        {"bias", {"true", "false"}},
        {"com", {"0.5", "2.0"}},
        {"top", {"1", "3"}},
        {"k", {"3"}},
        {"steps", {"1", "3"}},
        {"n", {"1", "2"}},
        {"limit", {"1", "3"}},
        {"alpha", {"0.3", "0.6"}},
        {"vfactor", {"0.7"}},
        {"maType", {"0", "2", "4", "5"}},
        {"mode", {"'prev'"}},
        {"func", {"msum{, 3}", "mmax{, 2}", "ffill"}},
        {"segment", {"b", "k % 2"}},
        {"cond", {"b", "x > y"}},
        {"trueValue", {"x"}},
        {"falseIterFunc", {"msum{, 3}", "mavg{, 2}"}},
        {"iterateFunc", {"msum{, 3}", "mavg{, 2}"}},
        {"initial", {"y"}},
        {"initialWindow", {"1", "3"}},
        {"combineCoeff", {"0.5 0.25"}},
        {"leftClosed", {"true", "false"}},
        {"membership", {"k % 3"}},
        {"prevMembership", {"prev(k) % 3"}},
        {"cumValue", {"x"}},
        {"prevCumValue", {"y"}},
        {"groupCount", {"3"}},
        {"sessionGap", {"40"}},
        {"init", {"1.5 2"}},
        {"coeffs", {"0.5 0.25"}},
        {"input", {"x", "y"}},
    };
    const bool isTimed = function.starts_with("tm") || function.starts_with("genericT");
    if (parameter == "range") return function == "window" ? Choices{"-3:0", "-2:-1"} : Choices();
    if (parameter == "window") {
        return isTimed ? Choices{"6000", "40"} : Choices{"1", "3", "7"};
    }
    if (parameter == "alpha" && function.starts_with("ewm")) return {};  // com gives the decay
    if (parameter == "percent" && !isOptional) return {"40", "75"};
    if (parameter == "tiesMethod" && function.ends_with("TopN")) return {"'oldest'", "'latest'", "'all'"};
    if (parameter == "funcArgs" && function == "segmentby") return {"x", "k"};
    if (function == "sumbars" && parameter == "Y") return {"60", "150.0"};
    if (function == "sessionWindow" && parameter == "X") return {"row"};
    if (function.starts_with("generic") && parameter == "func")
        return {"def(last, v) {return last.sum() * 0.25 + v}", "def(last, v) {return last.max() - v}"};
    if ((function == "moving" || function == "tmoving" || function == "window") && parameter == "func")
        return {"avg", "max", "std"};
    if (parameter == "funcArgs") return {"x", "y"};
    const auto found = known.find(parameter);
    return found == known.end() ? Choices() : found->second;
}

// Draws a call; empty when a parameter is unknown. `other` of ewmCov and the like is given as they need it.
std::string drawnCall(const BuiltinFunction& f, std::mt19937& random) {
    static const std::map<std::string, std::string> whole = {{"talib", "talib(mstd, x, 3)"},
                                                             {"talibNull", "talibNull(x, y)[1]"}};
    const std::string name(f.name());
    if (const auto call = whole.find(name); call != whole.end()) return call->second;
    std::string call = name + "(";
    bool isPositional = true, isFirst = true;
    for (const Parameter& parameter : f.signature().parameters) {
        const bool isNeeded = !parameter.optional || parameter.name == "com" || parameter.name == "other";
        if (!isNeeded && random() % 2 == 0) {
            isPositional = false;
            continue;
        }
        const Choices choices = choicesFor(name, parameter.name, parameter.optional);
        if (choices.empty() && parameter.optional) {
            isPositional = false;
            continue;
        }
        if (choices.empty()) return {};
        if (!isFirst) call += ", ";
        isFirst = false;
        if (!isPositional) call += parameter.name + "=";
        call += choices[random() % choices.size()];
    }
    static const std::set<std::string> withSeveralResults = {"linearTimeTrend", "mslr", "dynamicGroupCumsum",
                                                             "dynamicGroupCumcount"};
    return call + (withSeveralResults.contains(name) ? ")[1]" : ")");
}

// What became of a metric: "equal", "refused: …", "batch: …" where the query itself fails, or what differs.
std::string outcomeOf(const std::string& metric, int seed) {
    const std::string message = failure(twinRows(seed) + twinQuery(metric));
    if (!message.empty()) return "batch: " + message;
    try {
        return shown(twinScript(metric, seed) + "(out.row == twin.row).all() and eqObj(out.m, twin.m)") == "true"
                   ? "equal"
                   : "different";
    } catch (const Error& error) {
        failure("dropStreamEngine(`twin)");
        return std::string("refused: ") + error.what();
    }
}

}  // namespace

TEST_CASE("calls of all functions that look back give in the engine what they give in the query, to the bit") {
    wholeProcess();  // fills the registry
    const char* given = std::getenv("PELORUS_SEED");
    std::mt19937 random(given ? static_cast<unsigned>(std::atoi(given)) : 20'261'127);
    constexpr int kCalls = 4;
    int compared = 0, functions = 0;
    std::set<std::string> without;
    for (const std::string_view name : FunctionRegistry::instance().names()) {
        const BuiltinFunction& f = FunctionRegistry::instance().get(name);
        if (f.name() != name || f.signature().aggregate || f.signature().mutatesFirst) continue;
        if (!f.signature().orderSensitive) continue;
        int equal = 0;
        std::string last;
        for (int i = 0; i < kCalls; ++i) {
            const std::string metric = drawnCall(f, random);
            if (metric.empty()) break;
            last = outcomeOf(metric, 7 + i);
            INFO(metric << " " << last);
            CHECK(last != "different");
            equal += last == "equal";
        }
        compared += equal;
        functions += equal > 0;
        if (equal == 0) without.insert(std::string(name) + " " + last);
    }
    for (const std::string& f : without) {
        INFO(f);
        CHECK(withoutMetrics().contains(f.substr(0, f.find(' '))));
    }
    CHECK(functions >= 175);
    CHECK(compared >= 3 * functions);
}

// What scripts of the family use in reactive engines. Each function has a way to go on: states, or a reach.
TEST_CASE("the state functions of the family all go on row by row") {
    wholeProcess();  // fills the registry
    for (const char* name : {"cumavg",
                             "cumsum",
                             "cumprod",
                             "cumcount",
                             "cummin",
                             "cummax",
                             "cumvar",
                             "cumvarp",
                             "cumstd",
                             "cumstdp",
                             "cumcorr",
                             "cumcovar",
                             "cumcovarp",
                             "cumbeta",
                             "cumwsum",
                             "cumwavg",
                             "cumfirstNot",
                             "cumlastNot",
                             "cummed",
                             "cumpercentile",
                             "cumnunique",
                             "cumPositiveStreak",
                             "cummdd",
                             "cumrank",
                             "cumdenseRank",
                             "cumsum2",
                             "cumsum3",
                             "cumsum4",
                             "ema",
                             "mavg",
                             "msum",
                             "mcount",
                             "mprod",
                             "mvar",
                             "mvarp",
                             "mstd",
                             "mstdp",
                             "mskew",
                             "mkurtosis",
                             "mmin",
                             "mmax",
                             "mimin",
                             "mimax",
                             "mimaxLast",
                             "miminLast",
                             "mmed",
                             "mpercentile",
                             "mrank",
                             "mcorr",
                             "mcovar",
                             "mcovarp",
                             "mbeta",
                             "mwsum",
                             "mwavg",
                             "mmad",
                             "mfirst",
                             "mlast",
                             "mslr",
                             "tmove",
                             "tmfirst",
                             "tmlast",
                             "tmsum",
                             "tmsum2",
                             "tmavg",
                             "tmcount",
                             "tmvar",
                             "tmvarp",
                             "tmstd",
                             "tmstdp",
                             "tmprod",
                             "tmskew",
                             "tmkurtosis",
                             "tmmin",
                             "tmmax",
                             "tmmed",
                             "tmpercentile",
                             "tmrank",
                             "tmcovar",
                             "tmcovarp",
                             "tmbeta",
                             "tmcorr",
                             "tmwavg",
                             "tmwsum",
                             "tmoving",
                             "moving",
                             "sma",
                             "wma",
                             "dema",
                             "tema",
                             "trima",
                             "linearTimeTrend",
                             "talib",
                             "t3",
                             "ma",
                             "gema",
                             "wilder",
                             "kama",
                             "mmaxPositiveStreak",
                             "movingWindowData",
                             "tmovingWindowData",
                             "deltas",
                             "ratios",
                             "ffill",
                             "move",
                             "prev",
                             "iterate",
                             "ewmMean",
                             "ewmVar",
                             "ewmStd",
                             "ewmCov",
                             "ewmCorr",
                             "prevState",
                             "percentChange",
                             "msumTopN",
                             "mavgTopN",
                             "mstdpTopN",
                             "mstdTopN",
                             "mvarpTopN",
                             "mvarTopN",
                             "mcorrTopN",
                             "mbetaTopN",
                             "mcovarTopN",
                             "mcovarpTopN",
                             "mwsumTopN",
                             "mskewTopN",
                             "mkurtosisTopN",
                             "cumsumTopN",
                             "cumwsumTopN",
                             "cumvarTopN",
                             "cumvarpTopN",
                             "cumstdTopN",
                             "cumstdpTopN",
                             "cumcorrTopN",
                             "cumbetaTopN",
                             "cumavgTopN",
                             "cumskewTopN",
                             "cumkurtosisTopN",
                             "cumcovarTopN",
                             "cumcovarpTopN",
                             "tmsumTopN",
                             "tmavgTopN",
                             "tmstdTopN",
                             "tmstdpTopN",
                             "tmvarTopN",
                             "tmvarpTopN",
                             "tmskewTopN",
                             "tmkurtosisTopN",
                             "tmbetaTopN",
                             "tmcorrTopN",
                             "tmcovarTopN",
                             "tmcovarpTopN",
                             "tmwsumTopN",
                             "segmentby",
                             "byColumn",
                             "accumulate",
                             "window",
                             "talibNull",
                             "dynamicGroupCumsum",
                             "dynamicGroupCumcount",
                             "topRange",
                             "lowRange",
                             "trueRange",
                             "sumbars",
                             "stateIterate",
                             "conditionalIterate",
                             "genericStateIterate",
                             "genericTStateIterate"}) {
        INFO(name);
        const Declaration& d = FunctionRegistry::instance().get(name).declaration();
        CHECK((d.rolling || d.reach));
    }
}
