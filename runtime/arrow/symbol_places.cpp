#include "runtime/arrow/symbol_places.h"

#include "runtime/value/symbol_base.h"

namespace pelorus::arrow {

std::vector<std::string_view> SymbolPlaces::add(const Vector& symbols) {
    std::vector<std::string_view> added;
    const auto* codes = symbols.data<int32_t>();
    const int64_t count = symbols.size();
    for (int64_t i = 0; i < count; ++i) {
        const auto code = static_cast<size_t>(codes[i]);
        if (code < places_.size() && places_[code] >= 0) continue;  // nearly all of them
        if (code == 0) continue;
        if (code >= places_.size()) places_.resize(code + 1 + code / 2, -1);
        places_[code] = count_++;
        added.push_back(pelorus::symbols::string(codes[i]));
    }
    return added;
}

}  // namespace pelorus::arrow
