// Makes the dictionaries of a segment's string columns.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "runtime/value/vector.h"

namespace pelorus {

// The sorted distinct strings of a column, and the code of each row. The column, or the process's symbol table, owns
// the strings.
struct DictionaryDraft {
    std::vector<std::string_view> strings;
    std::vector<int32_t> codes;
};

// Returns the dictionary of a SYMBOL column.
DictionaryDraft symbolDictionary(const Vector& column);
// Makes the dictionary of a STRING column and returns true; returns false when its strings repeat too little for one to
// pay, and `draft` is undefined.
bool stringDictionary(const Vector& column, DictionaryDraft& draft);

}  // namespace pelorus
