// The schema of Arrow data: columns with the types of Arrow, and what they are in the language.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/type_table.h"
#include "runtime/arrow/flat_builder.h"
#include "runtime/arrow/flat_view.h"
#include "runtime/table/table.h"

namespace pelorus::arrow {

// The types of Arrow, by their numbers in its messages. On the network and in files: never renumber.
enum class ArrowType : uint8_t {
    Null = 1,
    Int = 2,
    Float = 3,
    Binary = 4,
    Utf8 = 5,
    Bool = 6,
    Decimal = 7,
    Date = 8,
    Time = 9,
    Timestamp = 10,
    Interval = 11,
    List = 12,
    Struct = 13,
    Union = 14,
    FixedBinary = 15,
    FixedList = 16,
    Map = 17,
    Duration = 18,
    LargeBinary = 19,
    LargeUtf8 = 20,
    LargeList = 21,
};

enum class ArrowUnit : int16_t { Second = 0, Milli = 1, Micro = 2, Nano = 3 };

// One column, or the elements of a list.
struct ArrowField {
    std::string name;
    ArrowType type = ArrowType::Null;
    int bitWidth = 0;      // of Int, Float, Decimal, Time; of Date 32 for days and 64 for milliseconds
    bool isSigned = true;  // of Int
    int precision = 0;     // of Decimal
    int scale = 0;         // of Decimal
    ArrowUnit unit = ArrowUnit::Second;
    std::string zone;   // of Timestamp; empty: none
    int fixedSize = 0;  // bytes of FixedBinary, elements of FixedList
    // Of LargeUtf8 and LargeBinary that another library of the process hands over: elements are views of 16 bytes.
    bool hasViews = false;
    std::vector<ArrowField> children;
    struct Dictionary {
        int64_t id = 0;
        int indexBits = 32;
        bool isSigned = true;
    };
    std::optional<Dictionary> dictionary;  // then the type is that of the dictionary's values
    std::vector<std::pair<std::string, std::string>> metadata;
};

struct ArrowSchema {
    std::vector<ArrowField> fields;
    std::vector<std::pair<std::string, std::string>> metadata;
};

// The key of a field's metadata under which columns that are written here keep their type: what Arrow has no type for,
// such as MONTH, comes back as it was.
constexpr const char* kTypeKey = "pelorus.type";

// How strings of symbols are written.
enum class SymbolForm : uint8_t { Dictionary, Text };

// Returns how a column of this type is written. Throws UserError, naming the column, for a type that Arrow has no
// counterpart of.
ArrowField fieldOf(const ColumnSchema& column, int64_t dictionaryId, SymbolForm symbols);

// Returns the type of a column as it is read: as the types of Arrow say, or as the metadata of a column that was
// written here. Sets `obstacle` when no column of a table can hold it.
TypeSpec typeOf(const ArrowField& field, std::string& obstacle);

// Returns the bytes of an element of a type of fixed size; 0 for other types, and for BOOL, which are bits.
size_t elementBytes(const ArrowField& field);

// A schema as a part of a message, and back. Reading throws SystemError for what is damaged, or nested more than
// kMaxDepth times.
constexpr int kMaxDepth = 16;
FlatBuilder encodeSchema(const ArrowSchema& schema);
ArrowSchema decodeSchema(const FlatView& schema);

}  // namespace pelorus::arrow
