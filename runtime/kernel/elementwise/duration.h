// Arithmetic of DURATION with temporals: temporal + 5m, temporal - 1M.
#pragma once

#include "runtime/code/expression.h"
#include "runtime/value/value.h"

namespace pelorus {

class TradingCalendar;

// Adds or subtracts a DURATION scalar and a temporal scalar or vector, in either order for Add. Throws UserError for
// others.
Value durationOperation(Operator op, const Value& a, const Value& b);

// Returns x + amount units, of any temporal type that the unit fits; months and years keep the day or take the month's
// last.
Value temporalAdd(const Value& x, int64_t amount, int32_t unit);
// Returns whether a time of day moved by a number or a duration goes round the clock once or more; false for other
// types.
bool goesRoundTheClock(Type type, const Value& by);
// Returns x + amount trading days of the market.
Value temporalAdd(const Value& x, int64_t amount, const TradingCalendar& market);

}  // namespace pelorus
