// One column being filled from text fields.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "runtime/text/delimited_text.h"
#include "runtime/text/field_ends.h"
#include "runtime/text/short_text.h"
#include "runtime/text/temporal_text.h"
#include "runtime/value/vector.h"

namespace pelorus::text {

// One field of each of some lines that follow one another.
struct FieldColumn {
    const char* text;  // the text block; eight bytes before its first field end can be read
    const FieldEnds& found;
    int firstLine, lineCount;
    int field;
    bool carriageReturns;  // lines may end with CR LF
};

// The fields with a fault: how many, and the first.
struct BadFields {
    int64_t count = 0;
    int line = 0;  // line of the text block
    std::string_view text;

    void note(int at, std::string_view field) {
        if (count++ > 0) return;
        line = at;
        text = field;
    }
};

// The faults of the fields of a column: fields that it could not read, and those that it read with a loss of digits.
struct FieldFaults {
    BadFields bad, rounded;
};

class ColumnSink {
public:
    ColumnSink(const TextColumn& column, int64_t capacity);

    // Stores the field of a row; returns false when the type cannot read it, and stores NULL then. An empty field is
    // NULL.
    bool put(int64_t row, std::string_view field);
    // Returns whether the field that `put` stored last lost digits, and forgets it.
    bool takeRounded() { return std::exchange(isRounded_, false); }
    // Stores the rows from `row` on, whole columns at a time.
    FieldFaults putColumn(int64_t row, const FieldColumn& fields);
    void putNull(int64_t row);
    // Returns the column, cut to its rows.
    Ref<Vector> finish(int64_t rows);

private:
    enum class Kind : uint8_t { Bool, Int8, Int16, Int32, Int64, Float32, Float64, Temporal, Symbol, String, Other };

    template <class T>
    T* data() {
        return reinterpret_cast<T*>(raw_);
    }
    template <class T>
    bool putInteger(int64_t row, std::string_view field);
    bool putTemporal(int64_t row, std::string_view field);
    bool putSymbol(int64_t row, std::string_view field);
    template <class Quick>
    FieldFaults putEach(int64_t row, const FieldColumn& fields, Quick quick);
    FieldFaults putTemporals(int64_t row, const FieldColumn& fields);
    bool putOther(int64_t row, std::string_view field);
    void storeInteger(int64_t row, int64_t stored);

    Ref<Vector> column_;
    char* raw_;
    Type type_;
    uint8_t scale_;
    Kind kind_;
    const bool keepsZeros_;   // leading zeros of integers are told: the type was detected
    bool isRounded_ = false;  // the last field
    std::optional<TemporalPattern> pattern_;

    // Neighbouring rows repeat their dates, times and symbols more often than not, and further ones often.
    struct Known {
        ShortString text;
        int64_t stored = 0;
    };
    Known last_;
    std::array<Known, 256> known_;

    std::unordered_map<std::string_view, int32_t> codes_;
};

}  // namespace pelorus::text
