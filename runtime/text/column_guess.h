// Type detection for a column of a text file, from a sample of its fields.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/type_table.h"
#include "runtime/text/temporal_text.h"

namespace pelorus::text {

// The appearance of the fields of a column that is SYMBOL or STRING all the same.
enum class OddKind {
    OtherType,         // most read as the type, with the format if there is one
    Digits,            // digits that a number would lose: leading zeros, or more than LONG holds
    DecimalCommas,     // numbers such as 1,5
    ThousandsCommas,   // numbers such as 1,234.5
    EitherCommas,      // numbers such as 1,234, which may be either
    DifferingOffsets,  // times with offsets that are not the same in all fields
};

// A column that is SYMBOL or STRING though most of its fields read as another type, or would if they were written
// otherwise.
struct OddColumn {
    size_t column = 0;  // index in the schema
    OddKind kind = OddKind::OtherType;
    Type type = Type::Void;
    std::string format;       // format that the type needs to read the fields; empty for the usual ones
    std::string otherFormat;  // another format that reads them as well: days and months are ambiguous
    int64_t count = 0;        // fields of the sample that do not read; 0 when only the format is unusual
    std::string text;         // the first of them
    int64_t offset = 0;       // offset of that field
    int64_t line = 0;         // its line in the file; 0 while unknown
};

// The fields of a sample that one reading, such as "a number", takes, and the first that it does not.
class FieldReading {
public:
    FieldReading() = default;
    // Makes the reading that did not take `odd` fields, the first of which is `text`.
    FieldReading(int64_t odd, std::string text, int64_t offset, bool isSameString)
        : odd_(odd), firstOdd_(std::move(text)), firstOffset_(offset), isSameString_(isSameString) {}

    void add(bool fits, std::string_view text, int64_t offset);
    // Returns whether most fields of a longer sample do not fit, so that trying more is useless.
    bool isHopeless() const { return odd_ > 64 && odd_ > fitting_; }
    int64_t fitting() const { return fitting_; }
    bool fitsAll() const { return odd_ == 0; }
    // Returns whether few fields do not fit, or all of these are one string, which denotes a missing value.
    bool fitsNearlyAll() const { return odd_ > 0 && (odd_ * 4 < fitting_ || (isSameString_ && odd_ < fitting_)); }
    void describe(OddColumn& column) const;

private:
    int64_t fitting_ = 0, odd_ = 0;
    std::string firstOdd_;
    int64_t firstOffset_ = 0;
    bool isSameString_ = true;
};

// A guess of the type of one column: it reads the fields of the sample, then names the narrowest type that fits all of
// them.
class ColumnGuess {
public:
    // Adds a field that begins at `offset`. Empty fields are ignored.
    void look(std::string_view text, int64_t offset);
    Type type() const;
    // Returns whether the type is INT, with values so large that products of two overflow INT.
    bool mayWrap() const { return type() == Type::Int && largest_ > 46340; }  // the root of the largest INT
    // Explains why the type is only SYMBOL or STRING; says nothing when its fields are strings as they look.
    std::optional<OddColumn> odd() const;

private:
    void lookForFormats(std::string_view text, int64_t offset);
    void lookForOffsets(std::string_view text, int64_t offset);
    void lookForDigits(std::string_view text, int64_t offset, bool isNumber);
    std::optional<OddColumn> oddDigits() const;
    FieldReading readingFrom(int64_t before) const;
    Type numberType() const;

    int64_t fields_ = 0;
    std::string first_;  // field
    int64_t firstOffset_ = 0;
    FieldReading number_, temporal_, boolean_;
    std::vector<FieldReading> formats_;  // readings by unusual formats; empty while no field has one of these
    // Times with an offset from UTC: in the format of the first one, its offset included, and in any.
    std::optional<FieldReading> sameOffset_, anyOffset_;
    std::optional<TemporalPattern> offsetPattern_;
    std::string offsetFormat_;
    Type offsetType_ = Type::Void;
    FieldReading digits_, decimalCommas_, thousandsCommas_;  // readings of such digits and commas, or plain numbers
    // The first field that has leading zeros or too many digits, or a comma: what its reading is told by.
    struct Place {
        int64_t count = 0, offset = 0;
        std::string text;

        void note(std::string_view field, int64_t at);
        void describe(OddColumn& column, OddKind why) const;
    };
    Place lostDigits_, commas_;
    bool integer_ = true;             // those that are numbers
    bool dateDigits_ = true;          // those that are dates and times are runs of eight digits
    int64_t largest_ = 0;             // largest absolute value of the integers
    Type temporalType_ = Type::Void;  // type that reads the dates and times
    std::set<std::string> distinct_;
    size_t longest_ = 0;
};

}  // namespace pelorus::text
