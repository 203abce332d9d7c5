// The distinct texts of a column in order, from which a segment's dictionary is written.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "runtime/value/vector.h"

namespace pelorus {

// The distinct texts of a column, sorted, and each row's position among them. The texts are the column's own, or the
// process's symbols.
struct DictionaryDraft {
    std::vector<std::string_view> texts;
    std::vector<int32_t> codes;
};

// Of a SYMBOL column.
DictionaryDraft symbolDictionary(const Vector& column);
// Of STRING: only when texts repeat enough to pay; false otherwise.
bool textDictionary(const Vector& column, DictionaryDraft& draft);

}  // namespace pelorus
