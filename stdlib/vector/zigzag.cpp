// zigzag(HL, …): the turning points of prices that moved by more than a threshold.
#include <cmath>

#include "common/error.h"
#include "runtime/value/print.h"
#include "stdlib/arguments.h"
#include "stdlib/number_columns.h"
#include "stdlib/register_builtins.h"

namespace pelorus {

namespace {

struct Turn {
    size_t row;
    double price;
};

struct ZigzagOptions {
    double change;
    bool percent, retrace, lastExtreme;
};

// Keeps the last turning point that is sure, and the extreme since then, which may still move.
class Zigzag {
public:
    Zigzag(const ZigzagOptions& options, double first, std::vector<double>& out)
        : o_(options), sure_{0, first}, extreme_{0, first}, out_(out) {}

    void add(size_t row, double high, double low) {
        const double room = roomToTurn();
        if (trend_ == 0) {
            if (high >= extreme_.price + room)
                turn(1, {row, high});
            else if (low <= extreme_.price - room)
                turn(-1, {row, low});
        } else if (trend_ > 0) {
            if (isFurther(high, extreme_.price))
                extreme_ = {row, high};
            else if (low <= extreme_.price - room)
                turn(-1, {row, low});
        } else {
            if (isFurther(extreme_.price, low))
                extreme_ = {row, low};
            else if (high >= extreme_.price + room)
                turn(1, {row, high});
        }
    }
    void finish() {
        out_[sure_.row] = sure_.price;
        out_[extreme_.row] = extreme_.price;
    }

private:
    double roomToTurn() const {
        if (!o_.percent) return o_.change;
        if (o_.retrace && trend_ != 0) return std::abs(extreme_.price - sure_.price) * o_.change;
        return std::abs(extreme_.price) * o_.change;
    }
    bool isFurther(double above, double below) const { return o_.lastExtreme ? above >= below : above > below; }
    void turn(int trend, Turn to) {
        if (trend_ != 0) {
            out_[sure_.row] = sure_.price;
            sure_ = extreme_;
        }
        extreme_ = to;
        trend_ = trend;
    }

    ZigzagOptions o_;
    Turn sure_, extreme_;
    int trend_ = 0;  // 1 rises, -1 falls, 0 before the first turn
    std::vector<double>& out_;
};

// zigzag(HL, [change], [percent], [retrace], [lastExtreme])
Value zigzagKernel(Context&, Arguments a) {
    const bool isPrices = a[0].isTypedVector() || (a[0].isMatrix() && a[0].matrix().columns == 2);
    if (!isPrices) refuseArgument(0, "HL", "a vector, or a matrix of two columns", a[0]);
    const NumberColumns prices = columnsArgument(a, 0, "HL", NullCells::Kept);
    ZigzagOptions o{realArgument(a, 1, "change", 10), flagArgument(a, 2, "percent", true),
                    flagArgument(a, 3, "retrace", false), flagArgument(a, 4, "lastExtreme", true)};
    if (!(o.change >= 0)) refuseArgument(1, "change", "0 or more", a[1]);
    if (o.percent) o.change /= 100;
    const auto &high = prices.columns.front(), &low = prices.columns.back();
    std::vector<double> turns(prices.rows, null<double>);
    size_t first = 0;
    while (first < prices.rows && (isNull(high[first]) || isNull(low[first]))) ++first;
    if (first == prices.rows) return Value::of(Vector::of(Type::Double, turns));
    std::vector<double> rest(prices.rows - first, null<double>);
    Zigzag zigzag(o, (high[first] + low[first]) / 2, rest);
    for (size_t i = first + 1; i < prices.rows; ++i) {
        if (!isNull(high[i]) && !isNull(low[i])) zigzag.add(i - first, high[i], low[i]);
    }
    zigzag.finish();
    std::copy(rest.begin(), rest.end(), turns.begin() + static_cast<ptrdiff_t>(first));
    return Value::of(Vector::of(Type::Double, turns));
}

}  // namespace

void registerZigzag(FunctionRegistry& registry) {
    registry.add("zigzag(HL, [change=10], [percent=true], [retrace=false], [lastExtreme=true])", zigzagKernel,
                 {.summary = "The prices at turning points, NULL at others, as DOUBLE.",
                  .parameters = "HL: a vector of prices, or a matrix of their highs and lows\n"
                                "change: the least move between turning points\n"
                                "percent: change is in percent, else in the unit of the prices\n"
                                "retrace: with percent, of the move before, else of the price at the turning point\n"
                                "lastExtreme: whether the last of equal extremes counts, else the first",
                  .nulls = "Rows with NULL are passed over.",
                  .errors = "HL has other columns; change is below 0.",
                  .complexity = "O(rows)",
                  .source = "Achelis, Technical Analysis from A to Z: Zig Zag",
                  .example = "zigzag([1.2, 3, 25, 17.8, 19, 10]) -> [1.2,,25,,,10]"});
}

}  // namespace pelorus
