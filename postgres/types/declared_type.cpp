#include "postgres/types/declared_type.h"

#include <cstdio>

#include <fmt/format.h>

#include "postgres/sql_error.h"

namespace pelorus::postgres {

namespace {

// The scale of a numeric without one: ten digits behind the point.
constexpr int kFreeScale = 10;
constexpr int kDigitsOf32 = 9, kDigitsOf64 = 18;

KeptType keptNumeric(int32_t modifier) {
    if (modifier < 0) return {Type::Decimal128, kFreeScale};
    const int precision = numericPrecision(modifier);
    const auto scale = static_cast<uint8_t>(numericScale(modifier));
    if (precision <= kDigitsOf32) return {Type::Decimal32, scale};
    return {precision <= kDigitsOf64 ? Type::Decimal64 : Type::Decimal128, scale};
}

bool isKept(Oid type) {
    switch (type) {
        case oid::kBool:
        case oid::kInt2:
        case oid::kInt4:
        case oid::kInt8:
        case oid::kOid:
        case oid::kFloat4:
        case oid::kFloat8:
        case oid::kNumeric:
        case oid::kText:
        case oid::kVarchar:
        case oid::kBpchar:
        case oid::kName:
        case oid::kChar:
        case oid::kDate:
        case oid::kTime:
        case oid::kTimestamp:
        case oid::kTimestamptz:
        case oid::kUuid:
        case oid::kBytea:
        case oid::kJson:
        case oid::kJsonb:
            return true;
        default:
            return false;
    }
}

}  // namespace

KeptType keptTypeOf(ShownType declared, int place) {
    if (!isKept(declared.type)) {
        throw SqlError(sql_state::kFeatureNotSupported,
                       fmt::format("columns of type {} are not supported", formatType(declared.type, -1)), place);
    }
    if (declared.type == oid::kNumeric) return keptNumeric(declared.modifier);
    return {oidFacts(declared.type)->kept, 0};
}

std::string savedForm(const DeclaredType& declared) {
    return fmt::format("{} {} {} {}", declared.shown.type, declared.shown.modifier, declared.isRequired ? 1 : 0,
                       declared.keyPlace);
}

DeclaredType declaredTypeOf(const ColumnSchema& column, std::string_view saved) {
    const DeclaredType own{shownType(column.type, column.scale)};
    unsigned type = 0;
    int modifier = 0, isRequired = 0, keyPlace = 0;
    const int read = std::sscanf(std::string(saved).c_str(), "%u %d %d %d", &type, &modifier, &isRequired, &keyPlace);
    if (read != 4 || !isKept(type)) return own;
    const KeptType kept = keptTypeOf({type, modifier}, -1);
    if (kept.type != column.type || kept.scale != column.scale) return own;
    return {{type, modifier}, isRequired != 0, keyPlace};
}

}  // namespace pelorus::postgres
