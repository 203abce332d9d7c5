// CopyFields cuts the bytes of COPY … FROM STDIN into rows of fields.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "server/postgres/copy/copy_form.h"

namespace pelorus::postgres {

// A field of a row; `bytes` are those of the value, without quotes and escapes. It lasts as long as the call that gives
// it.
struct CopyField {
    std::string_view bytes;
    bool isNull = false;
};

// A cutter of one stream. Bytes come in any pieces. Used by one thread.
class CopyFields {
public:
    // Takes each row. It may throw.
    using TakeRow = std::function<void(std::span<const CopyField> fields)>;

    virtual ~CopyFields() = default;
    // Cuts the next bytes, and gives the rows that end in them. Throws SqlError 22P04 for bytes that are no row.
    virtual void feed(std::string_view bytes, const TakeRow& take) = 0;
    // Gives the last row, where no end of line follows it. Throws SqlError 22P04 for a row that is cut.
    virtual void finish(const TakeRow& take) = 0;
    // Returns the number of the line, or row, that was cut last, from 1.
    virtual int64_t line() const = 0;
};

// Makes the cutter for a form. `columns` is the number of fields of a row: what else stands in a line of text is given
// as it is.
std::unique_ptr<CopyFields> makeCopyFields(const CopyForm& form, size_t columns);

}  // namespace pelorus::postgres
