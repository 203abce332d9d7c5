#include "postgres/functions/stored_text.h"

#include <algorithm>

#include <fmt/format.h>

#include "postgres/sql_error.h"
#include "runtime/append/empty_text.h"

namespace pelorus::postgres {

namespace {

int64_t characterCount(std::string_view text) {
    return std::count_if(text.begin(), text.end(), [](unsigned char c) { return (c & 0xC0) != 0x80; });
}

}  // namespace

void refuseNull(std::string_view column, std::string_view table) {
    throw SqlError("23502", fmt::format("null value in column \"{}\" of relation \"{}\" violates not-null constraint",
                                        column, table));
}

std::string_view storedText(std::string_view text, const ShownType& type) {
    if (text == kEmptyText) return {};
    if (type.type == oid::kBpchar) text = text.substr(0, text.find_last_not_of(' ') + 1);
    const bool isLimited = type.modifier > 0 && (type.type == oid::kVarchar || type.type == oid::kBpchar);
    if (!isLimited) return text;
    const int64_t most = type.modifier - 4;
    if (static_cast<int64_t>(text.size()) <= most || characterCount(text) <= most) return text;
    // Blanks beyond the length are cut.
    std::string_view cut = text;
    while (cut.ends_with(' ') && characterCount(cut) > most) cut.remove_suffix(1);
    if (characterCount(cut) > most)
        throw SqlError("22001", fmt::format("value too long for type {}", formatType(type.type, type.modifier)));
    return cut;
}

}  // namespace pelorus::postgres
