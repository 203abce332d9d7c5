#include "stdlib/instruments/instrument_kinds.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "common/error.h"

namespace pelorus {

namespace {

using Pair = std::pair<std::string_view, std::string_view>;
using M = MemberType;

// Returns the members of a bond without options; which of three are required differs by its kind.
constexpr auto bondMembers(bool isPriceRequired, bool isCouponRequired, bool isFrequencyRequired) {
    return std::array<InstrumentMember, 15>{{{"instrumentId", M::Text},
                                             {"nominal", M::Number, false, "100"},
                                             {"start", M::Date, true},
                                             {"maturity", M::Date, true},
                                             {"coupon", M::Number, isCouponRequired},
                                             {"frequency", M::Frequency, isFrequencyRequired},
                                             {"dayCountConvention", M::DayCount, true},
                                             {"issuePrice", M::Number, isPriceRequired},
                                             {"calendar", M::Text},
                                             {"currency", M::Text, false, "CNY"},
                                             {"cashflow", M::Any},
                                             {"discountCurve", M::Text},
                                             {"spreadCurve", M::Text},
                                             {"subType", M::Text},
                                             {"creditRating", M::Text}}};
}
constexpr auto kDiscountBond = bondMembers(true, false, false);
constexpr auto kZeroCouponBond = bondMembers(false, true, false);
constexpr auto kFixedRateBond = bondMembers(false, true, true);
constexpr InstrumentMember kOptionBond[] = {
    {"instrumentId", M::Text},
    {"nominal", M::Number, false, "100"},
    {"start", M::Date, true},
    {"maturity", M::Date, true},
    {"coupon", M::Number, true},
    {"frequency", M::Frequency, true},
    {"principalRatio", M::Numbers},
    {"exerciseDates", M::Dates},
    {"hasCallOption", M::Flag, true},
    {"hasPutOption", M::Flag, true},
    {"hasCouponAdjust", M::Flag, true},
    {"newCoupon", M::Number},
    {"dayCountConvention", M::DayCount, true},
    {"subType", M::Text},
    {"creditRating", M::Text},
};
constexpr InstrumentMember kBondFutures[] = {
    {"instrumentId", M::Text},     {"nominal", M::Number, false, "100"}, {"maturity", M::Date, true},
    {"settlement", M::Date, true}, {"underlying", M::Any, true},         {"nominalCouponRate", M::Number, true},
};
constexpr InstrumentMember kDeposit[] = {
    {"instrumentId", M::Text},
    {"notionalCurrency", M::Text, true},
    {"notionalAmount", M::Number, true},
    {"start", M::Date, true},
    {"maturity", M::Date, true},
    {"rate", M::Number, true},
    {"dayCountConvention", M::DayCount, true},
    {"payReceive", M::Text, true},
    {"discountCurve", M::Text},
    {"calendar", M::Text},
};
constexpr InstrumentMember kFixedFloatingSwap[] = {
    {"instrumentId", M::Text},
    {"notionalCurrency", M::Text, true},
    {"notionalAmount", M::Number, true},
    {"start", M::Date, true},
    {"maturity", M::Date, true},
    {"frequency", M::Frequency, true},
    {"fixedRate", M::Number, true},
    {"calendar", M::Text, true},
    {"fixedDayCountConvention", M::DayCount, true},
    {"floatingDayCountConvention", M::DayCount, true},
    {"payReceive", M::Text, true},
    {"iborIndex", M::Text, true},
    {"spread", M::Number, true},
    {"domesticCurve", M::Text},
    {"foreignCurve", M::Text},
};
constexpr InstrumentMember kFxForward[] = {
    {"instrumentId", M::Text},           {"expiry", M::Date, true},    {"delivery", M::Date, true},
    {"currencyPair", M::Text, true},     {"direction", M::Text, true}, {"notionalCurrency", M::Text, true},
    {"notionalAmount", M::Number, true}, {"strike", M::Number, true},  {"domesticCurve", M::Text},
    {"foreignCurve", M::Text},
};
constexpr InstrumentMember kFxSwap[] = {
    {"instrumentId", M::Text},           {"currencyPair", M::Text, true},     {"direction", M::Text, true},
    {"notionalCurrency", M::Text, true}, {"notionalAmount", M::Number, true}, {"nearStrike", M::Number, true},
    {"nearExpiry", M::Date, true},       {"nearDelivery", M::Date, true},     {"farStrike", M::Number, true},
    {"farExpiry", M::Date, true},        {"farDelivery", M::Date, true},      {"domesticCurve", M::Text},
    {"foreignCurve", M::Text},
};
constexpr InstrumentMember kFxOption[] = {
    {"instrumentId", M::Text},           {"notionalCurrency", M::Text, true},
    {"notionalAmount", M::Number, true}, {"maturity", M::Date, true},
    {"underlying", M::Text, true},       {"direction", M::Text, false, "Buy"},
    {"strike", M::Number, true},         {"dayCountConvention", M::DayCount, true},
    {"payoffType", M::Text, true},       {"domesticCurve", M::Text},
    {"foreignCurve", M::Text},           {"delivery", M::Date},
};
// Options on futures of goods and on shares.
constexpr InstrumentMember kOption[] = {
    {"instrumentId", M::Text},
    {"notionalCurrency", M::Text, false, "CNY"},
    {"notionalAmount", M::Number, true},
    {"direction", M::Text, false, "Buy"},
    {"maturity", M::Date, true},
    {"strike", M::Number, true},
    {"payoffType", M::Text, true},
    {"underlying", M::Text, true},
    {"dayCountConvention", M::DayCount, true},
    {"discountCurve", M::Text},
    {"dividendCurve", M::Text},
};

constexpr Pair kDiscountBondIs[] = {{"productType", "Cash"}, {"assetType", "Bond"}, {"bondType", "DiscountBond"}};
constexpr Pair kZeroCouponBondIs[] = {{"productType", "Cash"}, {"assetType", "Bond"}, {"bondType", "ZeroCouponBond"}};
constexpr Pair kFixedRateBondIs[] = {{"productType", "Cash"}, {"assetType", "Bond"}, {"bondType", "FixedRateBond"}};
constexpr Pair kOptionBondIs[] = {{"productType", "Cash"}, {"assetType", "Bond"}, {"bondType", "OptionBond"}};
constexpr Pair kBondFuturesIs[] = {{"productType", "Futures"}, {"futuresType", "BondFutures"}};
constexpr Pair kDepositIs[] = {{"productType", "Cash"}, {"assetType", "Deposit"}};
constexpr Pair kFixedFloatingSwapIs[] = {
    {"productType", "Swap"}, {"swapType", "IrSwap"}, {"irSwapType", "IrFixedFloatingSwap"}};
constexpr Pair kFxForwardIs[] = {{"productType", "Forward"}, {"forwardType", "FxForward"}};
constexpr Pair kFxSwapIs[] = {{"productType", "Swap"}, {"swapType", "FxSwap"}};
constexpr Pair kFxOptionIs[] = {
    {"productType", "Option"}, {"optionType", "EuropeanOption"}, {"assetType", "FxEuropeanOption"}};
constexpr Pair kFuturesEuropeanIs[] = {
    {"productType", "Option"}, {"optionType", "EuropeanOption"}, {"assetType", "CmFutEuropeanOption"}};
constexpr Pair kFuturesAmericanIs[] = {
    {"productType", "Option"}, {"optionType", "AmericanOption"}, {"assetType", "CmFutAmericanOption"}};
constexpr Pair kShareEuropeanIs[] = {
    {"productType", "Option"}, {"optionType", "EuropeanOption"}, {"assetType", "EqEuropeanOption"}};
constexpr Pair kShareAmericanIs[] = {
    {"productType", "Option"}, {"optionType", "AmericanOption"}, {"assetType", "EqAmericanOption"}};
constexpr Pair kUserDefinedIs[] = {{"productType", "UserDefined"}};

constexpr InstrumentKind kKinds[] = {
    {kDiscountBondIs, kDiscountBond},
    {kZeroCouponBondIs, kZeroCouponBond},
    {kFixedRateBondIs, kFixedRateBond},
    {kOptionBondIs, kOptionBond},
    {kBondFuturesIs, kBondFutures},
    {kDepositIs, kDeposit},
    {kFixedFloatingSwapIs, kFixedFloatingSwap},
    {kFxForwardIs, kFxForward},
    {kFxSwapIs, kFxSwap},
    {kFxOptionIs, kFxOption},
    {kFuturesEuropeanIs, kOption},
    {kFuturesAmericanIs, kOption},
    {kShareEuropeanIs, kOption},
    {kShareAmericanIs, kOption},
    {kUserDefinedIs, {}},
};

}  // namespace

const InstrumentKind& instrumentKind(const Description& description, size_t argument) {
    const auto says = [&](const Pair& pair) { return description.text(pair.first, "") == pair.second; };
    for (const InstrumentKind& kind : kKinds) {
        if (std::ranges::all_of(kind.classification, says)) return kind;
    }
    // What would go on from the part that is known.
    std::string known;
    for (const InstrumentKind& kind : kKinds) {
        if (!known.empty()) known += ", ";
        known += kind.classification.back().second;
    }
    throw UserError(
        static_cast<int>(argument),
        fmt::format("The instrument is of no known kind: productType is \"{}\".", description.text("productType", "")),
        fmt::format("The kinds are {}; each needs the members that name it, as productType and assetType.", known));
}

}  // namespace pelorus
