// COPY … FROM STDIN: rows of text, CSV or PostgreSQL's binary form become those of a table.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "postgres/change/assigned_column.h"
#include "server/postgres/copy/copy_fields.h"
#include "server/postgres/copy/copy_form.h"
#include "server/postgres/wire/parameter_values.h"

namespace pelorus::postgres {

// The rows of one copy while they come. Used by one thread; nothing is stored by it.
class CopyReader {
public:
    // `columns` are the names that the statement gives; none: all of the table. Throws SqlError 42703 and the like.
    CopyReader(std::shared_ptr<const TargetTable> target, const std::vector<std::string>& columns, CopyForm form,
               ParameterStyle style);

    const CopyForm& form() const { return form_; }
    size_t columnCount() const { return columns_.size(); }
    // Takes the next bytes. Throws SqlError 22P04 for bytes that are no row, and as AssignedColumn does for values; a
    // detail names the line and the column.
    void feed(std::string_view bytes);
    // Returns the places in the table of the columns that come.
    std::vector<size_t> places() const;
    // Adds so many values of its default to a column that does not come.
    using FillDefault = std::function<void(AssignedColumn& column, int64_t count)>;
    // Returns the rows, in the order of the table's columns. `fill` is needed where a column with a default is missing.
    Ref<MemoryTable> finish(const FillDefault& fill = {});
    // Returns the rows so far.
    int64_t rowCount() const { return rows_; }

private:
    struct Column {
        AssignedColumn writer;
        size_t place;  // in the table
        Oid type;
        bool isNeverNull = false;
        bool isNullInQuotes = false;
    };

    void takeRow(std::span<const CopyField> fields);
    void takeField(Column& column, const CopyField& field);
    void takeText(Column& column, std::string_view bytes);
    void checkHeader(std::span<const CopyField> fields);

    const std::shared_ptr<const TargetTable> target_;
    const CopyForm form_;
    const ParameterStyle style_;
    std::vector<Column> columns_;
    std::unique_ptr<CopyFields> fields_;
    int64_t rows_ = 0;
    bool mustCheckHeader_ = false;
};

}  // namespace pelorus::postgres
