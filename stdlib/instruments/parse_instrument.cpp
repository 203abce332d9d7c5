// parseInstrument, extractInstrument, and the functions that read members of instruments.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "common/check.h"
#include "common/error.h"
#include "runtime/table/table.h"
#include "runtime/value/cast.h"
#include "runtime/value/print.h"
#include "stdlib/arguments.h"
#include "stdlib/finance/day_count.h"
#include "stdlib/instruments/each_described.h"
#include "stdlib/instruments/instrument_kinds.h"
#include "stdlib/named_results.h"
#include "stdlib/register_analysis.h"
#include "stdlib/register_builtins.h"

namespace pelorus {

namespace {

constexpr std::string_view kWhat = "The instrument";

Value whenMissing(const InstrumentMember& member) {
    switch (member.type) {
        case MemberType::Text:
        case MemberType::Frequency:
        case MemberType::DayCount:
            return Value::ofString(member.whenMissing);
        case MemberType::Number: {
            double number = null<double>;
            std::from_chars(member.whenMissing.data(), member.whenMissing.data() + member.whenMissing.size(), number);
            return Value::ofDouble(number);
        }
        case MemberType::Flag:
            return Value::nullOf(Type::Bool);
        case MemberType::Date:
            return Value::nullOf(Type::Date);
        default:
            return {};
    }
}

Value readMember(const Description& d, const InstrumentMember& member) {
    switch (member.type) {
        case MemberType::Text:
            return Value::ofString(d.text(member.name));
        case MemberType::Frequency:
            if (!d.get(member.name).isString()) return Value::ofDouble(d.number(member.name));
            return Value::ofString(d.text(member.name));
        case MemberType::DayCount: {
            const std::string name = d.text(member.name);
            if (!dayCountOf(name)) d.refuse(member.name, "a day count, as ActualActualISDA or Actual365");
            return Value::ofString(name);
        }
        case MemberType::Number:
            return Value::ofDouble(d.number(member.name));
        case MemberType::Flag:
            return Value::ofBool(d.flag(member.name, false));
        case MemberType::Date:
            return Value::scalar(Type::Date, d.date(member.name));
        case MemberType::Dates: {
            std::vector<int32_t> days;
            for (const int64_t day : d.dates(member.name)) days.push_back(static_cast<int32_t>(day));
            return Value::of(Vector::of(Type::Date, days));
        }
        case MemberType::Numbers:
            return realsOf(d.numbers(member.name));
        default:
            return d.get(member.name);
    }
}

// Returns the description with notional, a tuple of currency and amount, as two members.
Ref<Dictionary> withNotional(const Value& given) {
    Ref<Dictionary> description = given.dictionary().copy();
    const Value key = Value::ofString("notional");
    const Value notional = description->contains(key) ? description->get(key) : Value();
    if (notional.isTuple() && notional.size() == 2) {
        description->set(Value::ofString("notionalCurrency"), notional.tuple().elements[0]);
        description->set(Value::ofString("notionalAmount"), notional.tuple().elements[1]);
        description->erase(key);
    }
    return description;
}

void checkOrder(const Description& d, std::string_view first, std::string_view second) {
    if (d.has(first) && d.has(second) && d.date(first) >= d.date(second))
        d.refuse(second, fmt::format("after {}", first));
}

void checkChoice(const Description& d, std::string_view member, std::initializer_list<std::string_view> choices) {
    if (!d.has(member) || std::ranges::find(choices, d.text(member)) != choices.end()) return;
    d.refuse(member, fmt::format("{}", fmt::join(choices, " or ")));
}

// Returns the members of a description in the order of its kind, with defaults, then further ones as they stand.
Value parsed(const Value& given, int depth = 0) {
    const Description described(given, 0, kWhat);
    const Ref<Dictionary> description = withNotional(given);
    const Description d(Value::of(description), 0, kWhat);
    const InstrumentKind& kind = instrumentKind(d, 0);
    auto instrument = orderedResult();
    for (const auto& [name, value] : kind.classification) addMember(*instrument, name, Value::ofString(value));
    constexpr int kVersion = 1;
    addMember(*instrument, "version", Value::ofInt(kVersion));
    for (const InstrumentMember& member : kind.members) {
        if (member.isRequired) d.require(member.name);
        addMember(*instrument, member.name, d.has(member.name) ? readMember(d, member) : whenMissing(member));
    }
    for (int64_t i = 0; i < description->size(); ++i) {
        const Value key = description->keyAt(i);
        if (!instrument->contains(key)) instrument->set(key, description->valueAt(i));
    }
    const Value underlying = d.get("underlying");
    constexpr int kMostLevels = 8;  // of instruments within each other
    if (depth > kMostLevels)
        throw UserError(0, fmt::format("{} has more than {} instruments within each other.", kWhat, kMostLevels));
    if (underlying.isDictionary()) addMember(*instrument, "underlying", parsed(underlying, depth + 1));
    const Description result(Value::of(instrument), 0, kWhat);
    checkOrder(result, "start", "maturity");
    checkOrder(result, "nearDelivery", "farDelivery");
    checkChoice(result, "direction", {"Buy", "Sell"});
    checkChoice(result, "payReceive", {"Pay", "Receive"});
    checkChoice(result, "payoffType", {"Call", "Put"});
    return Value::of(std::move(instrument));
}

Value rowOf(const MemoryTable& table, int64_t row) {
    auto description = orderedResult();
    for (int c = 0; c < table.columnCount(); ++c)
        addMember(*description, table.columns()[static_cast<size_t>(c)].name, table.column(c).at(row));
    return Value::of(std::move(description));
}

// parseInstrument(obj)
Value parseInstrumentKernel(Context& context, Arguments a) {
    if (a[0].isTable()) {
        const Ref<MemoryTable> table = tableToRead(a[0]);
        if (!table) throw UserError(0, "obj must be in memory.", "Select from it.");
        std::vector<Value> instruments;
        for (int64_t row = 0; row < table->rowCount(); ++row) {
            context.checkCancelled();
            instruments.push_back(parsed(rowOf(*table, row)));
        }
        return Value::of(makeRef<Tuple>(std::move(instruments)));
    }
    return mapDescribed(context, a[0], [&](const Value& one) { return parsed(describedBy(context, one, 0)); });
}

Value extractInstrumentKernel(Context& context, Arguments a) {
    return extracted(context, a[0], kWhat);
}

// Returns values of instruments as a vector, where all are scalars of one type, else as a tuple.
Value gathered(std::vector<Value> values) {
    const auto isLike = [&](const Value& v) { return v.isScalar() && v.type() == values[0].type() && !v.isVoid(); };
    if (values.empty() || !std::ranges::all_of(values, isLike)) return Value::of(makeRef<Tuple>(std::move(values)));
    Ref<Vector> column = Vector::make(values[0].type(), static_cast<int64_t>(values.size()));
    for (size_t i = 0; i < values.size(); ++i) column->set(static_cast<int64_t>(i), values[i]);
    return Value::of(std::move(column));
}

template <class F>
Value readEach(Context& context, const Value& instruments, F f) {
    if (!instruments.isTuple()) return f(instruments);
    std::vector<Value> values;
    for (const Value& one : instruments.tuple().elements) {
        context.checkCancelled();
        values.push_back(f(one));
    }
    return gathered(std::move(values));
}

Value memberOf(const Value& instrument, std::string_view name) {
    const Description d(instrument, 0, kWhat);
    if (name != "notional" || d.has(name) || !d.has("notionalCurrency")) return d.get(name);
    return Value::of(makeRef<Tuple>(std::vector<Value>{d.get("notionalCurrency"), d.get("notionalAmount")}));
}

// getInstrumentField(instrument, key, [default])
Value fieldKernel(Context& context, Arguments a) {
    const std::string key = stringArgument(a, 1, "key");
    return readEach(context, a[0], [&](const Value& instrument) {
        Value value = memberOf(instrument, key);
        if (!isGiven(a, 2)) return value;
        if (!a[2].isScalar()) refuseArgument(2, "default", "a scalar", a[2]);
        if (value.isVoid() || (value.isScalar() && value.isNull())) return a[2];
        return cast(value, a[2].type());
    });
}

// getInstrumentKeys(instrument)
Value keysKernel(Context& context, Arguments a) {
    return mapDescribed(context, a[0], [](const Value& instrument) {
        (void)Description(instrument, 0, kWhat);
        return instrument.dictionary().keys();
    });
}

// The functions that read one member each: getInstrument and the name that begins with a capital letter.
constexpr std::string_view kRead[] = {
    "calendar",
    "coupon",
    "creditRating",
    "currency",
    "currencyPair",
    "dayCountConvention",
    "delivery",
    "direction",
    "expiry",
    "farDelivery",
    "farExpiry",
    "farStrike",
    "fixedDayCountConvention",
    "fixedRate",
    "floatingDayCountConvention",
    "frequency",
    "iborIndex",
    "instrumentId",
    "issuePrice",
    "maturity",
    "nearDelivery",
    "nearExpiry",
    "nearStrike",
    "nominal",
    "nominalCouponRate",
    "notional",
    "notionalAmount",
    "notionalCurrency",
    "payReceive",
    "payoffType",
    "rate",
    "settlement",
    "spread",
    "start",
    "strike",
    "subType",
    "underlying",
};

template <size_t kPlace>
Value readKernel(Context& context, Arguments a) {
    return readEach(context, a[0], [](const Value& instrument) { return memberOf(instrument, kRead[kPlace]); });
}

constexpr std::string_view kInstrument = "instrument: what parseInstrument returned, or a tuple of such";
constexpr std::string_view kDeposit =
    "parseInstrument({productType: 'Cash', assetType: 'Deposit', start: 2025.05.15, maturity: 2025.08.15, rate: 0.02, "
    "dayCountConvention: 'Actual360', notional: ('CNY', 1000000.0), payReceive: 'Receive'})";

template <size_t kPlace>
void registerReader(FunctionRegistry& registry) {
    std::string capital(kRead[kPlace]);
    capital[0] = static_cast<char>(capital[0] - 'a' + 'A');
    const std::string name = "getInstrument" + capital;
    registry.add(
        name + "(instrument)", readKernel<kPlace>,
        {.summary = fmt::format("The member {} of an instrument, or a vector (a tuple where they are of several "
                                "types) of those of several.",
                                kRead[kPlace]),
         .parameters = kInstrument,
         .nulls = "NULL where the instrument has none.",
         .errors = "instrument is no dictionary.",
         .complexity = "O(instruments)",
         .example = fmt::format("{}({})", name, kDeposit)});
}

template <size_t... kPlaces>
void registerReaders(FunctionRegistry& registry, std::index_sequence<kPlaces...>) {
    (registerReader<kPlaces>(registry), ...);
}

}  // namespace

void registerInstruments(FunctionRegistry& registry) {
    registry.add(
        "parseInstrument(obj)", parseInstrumentKernel,
        {.summary = "Descriptions of financial instruments, checked, with all members of their kind: an ordered "
                    "dictionary, or a tuple of them. Kinds are bonds (DiscountBond, ZeroCouponBond, FixedRateBond, "
                    "OptionBond), BondFutures, Deposit, IrFixedFloatingSwap, FxForward, FxSwap, options "
                    "(FxEuropeanOption, CmFutEuropeanOption, CmFutAmericanOption, EqEuropeanOption, EqAmericanOption) "
                    "and UserDefined.",
         .parameters =
             "obj: a dictionary from names to values, a string in JSON, a tuple or vector of such, or a table "
             "in memory with a row for each instrument; dates may be strings, notional a tuple of currency "
             "and amount, members of no kind are kept",
         .nulls = "Missing members are NULL, or empty strings.",
         .errors = "A member is missing, of another type, or has no such choice; the kind is unknown; maturity is not "
                   "after start.",
         .complexity = "O(members)",
         .example = fmt::format("{}[`rate] -> 0.02\n{}", kDeposit, kDeposit)});
    registry.add("extractInstrument(instrument)", extractInstrumentKernel,
                 {.summary = "The members of an instrument as a dictionary of its own, or a tuple of them.",
                  .parameters = kInstrument,
                  .errors = "instrument is no dictionary.",
                  .complexity = "O(members)",
                  .example = fmt::format("extractInstrument({})[`maturity] -> 2025.08.15", kDeposit)});
    registry.add(
        "getInstrumentField(instrument, key, [default])", fieldKernel,
        {.summary = "A member of an instrument, or a vector (a tuple where they are of several types) of those of "
                    "several.",
         .parameters = fmt::format("{}\nkey: the name of the member\ndefault: a scalar, returned where there is "
                                   "none; others are cast to its type",
                                   kInstrument),
         .nulls = "NULL where the instrument has none, without default.",
         .errors = "instrument is no dictionary; a member can't be cast.",
         .complexity = "O(instruments)",
         .example = fmt::format("getInstrumentField({}, `rate) -> 0.02", kDeposit)});
    registry.add("getInstrumentKeys(instrument)", keysKernel,
                 {.summary = "The names of the members of an instrument, as a vector of STRING, or a tuple of them.",
                  .parameters = kInstrument,
                  .errors = "instrument is no dictionary.",
                  .complexity = "O(members)",
                  .example = fmt::format("`rate in getInstrumentKeys({}) -> true", kDeposit)});
    registerReaders(registry, std::make_index_sequence<std::size(kRead)>());
}

}  // namespace pelorus
