// LineBatch parses lines of the line protocol into rows of tables, and checks them; it stores nothing.
//
// LineCatalog describes the tables; a line whose table or fields are new to it adds what has to be created. A line is
// added completely or not at all. Not thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/table/table.h"
#include "server/line_protocol/column_builder.h"
#include "server/line_protocol/tag_sets.h"

namespace pelorus {

// The properties of a table that a batch must know.
struct LineTable {
    bool exists = false;
    TableSchema schema;                    // empty when there is no such table
    std::string timeColumn = "timestamp";  // column of the rows' times
    std::vector<std::string> sortColumns;
};

// The source of the tables that a batch writes to, with the rights of the writer. WrittenTables implements it.
class LineCatalog {
public:
    virtual ~LineCatalog() = default;
    // Returns a table, with `exists` false when there is none. Throws UserError when the writer may not add rows to the
    // table, or create it.
    virtual LineTable find(const std::string& table) = 0;
    // Throws UserError when the writer may not add columns to the table.
    virtual void requireToAddColumns(const std::string& table) = 0;
};

// The rows of one transaction. LineStream and writeLines fill it, WrittenTables::store writes it.
class LineBatch {
public:
    // Begins a batch. A time without a suffix is in units of `unitNanos` nanoseconds. `tags` and `catalog` outlive the
    // batch.
    LineBatch(TagSets& tags, LineCatalog& catalog, int64_t unitNanos = 1);

    // Parses the complete lines in `bytes` and returns how many bytes they have; with `isAll` the end of the bytes ends
    // the last line. Throws LineError, a UserError, for a bad line, and another UserError for a table that the writer
    // may not change: the lines before it were added, and errorLine, errorTable and goodBytes describe it.
    size_t add(std::string_view bytes, bool isAll);
    // Returns the number of the last line that was read, from 1 on: after an error, that of the bad line.
    int64_t errorLine() const { return line_; }
    // Returns the table of the last line; empty when it has none.
    std::string errorTable() const;
    // Returns how many bytes of the last call of `add` precede the bad line.
    size_t goodBytes() const { return goodBytes_; }

    class TableRows;
    const std::vector<std::unique_ptr<TableRows>>& tables() const { return tables_; }
    int64_t rowCount() const { return rowCount_; }

    // Maximum length of a line; a longer one is an error.
    static constexpr size_t kMaxLineBytes = size_t{1} << 20;

private:
    const char* addLine(const char* at, const char* end);
    const char* addFields(TableRows& table, const char* line, const char* at, const char* end);
    TableRows& tableOf(TagSet& set);

    TagSets& tags_;
    LineCatalog& catalog_;
    const int64_t unitNanos_;
    const uint64_t number_;
    int64_t line_ = 0;
    int64_t rowCount_ = 0;
    size_t goodBytes_ = 0;
    std::vector<std::unique_ptr<TableRows>> tables_;
    std::vector<int32_t> tableOfShape_;  // index in tables_ by number of the tag shape; -1: not seen yet
    const TagSet* current_ = nullptr;
};

// The rows of one table in a batch.
class LineBatch::TableRows {
public:
    struct TagColumn {
        std::string name;
        Type type = Type::Symbol;
        bool isNew = false;
    };

    TableRows(std::string name, LineTable known, LineCatalog& catalog);

    const std::string& name() const { return name_; }
    const LineTable& known() const { return known_; }
    int64_t rowCount() const { return static_cast<int64_t>(times_.size()); }
    const std::vector<int64_t>& times() const { return times_; }

    // Returns the columns that rows of the batch have and the table lacks, tags first.
    TableSchema newColumns() const;
    // Returns the names of the tags of the first line.
    const std::vector<std::string>& firstTags() const;
    // Returns the rows as a table with the columns of `schema`. They are ordered by `sortColumns` when these are
    // symbols, and the time last; else they are in the order of the lines. REQUIRES: fits(schema).
    Ref<MemoryTable> build(const TableSchema& schema, const std::vector<std::string>& sortColumns) const;
    // Returns whether a schema has the columns that rows of the batch were checked against, and those that were new.
    bool fits(const TableSchema& schema) const;

private:
    friend class LineBatch;
    struct Field {
        ColumnBuilder column;
        bool isPlain;        // the name needs no escapes
        int32_t shape = -1;  // index of the field with the lengths of its arrays of several dimensions; -1: none
    };

    void useShape(const TagShape& shape);
    void useSet(TagSet& set, int32_t table, uint64_t batch);
    size_t addField(std::string name, const LineValue& first);
    void setShape(Field& field, int64_t row, const LineValue& value);
    Field* predictedField(size_t position, const char* at, const char* end);
    Field& readField(size_t position, const char*& at, const char* end);
    void addTime(int64_t nanos);
    void truncate(int64_t rows);
    std::vector<int32_t> order(const std::vector<std::string>& sortColumns) const;
    std::vector<int32_t> rankSets(const std::vector<size_t>& tagsInOrder) const;
    std::vector<int32_t> codesOf(size_t tagColumn) const;
    Value buildTag(size_t tagColumn, Type type, const std::vector<int32_t>& order) const;
    Value buildTimes(Type type, const std::vector<int32_t>& order) const;
    void requireColumnCount() const;

    std::string name_;
    LineTable known_;
    LineCatalog& catalog_;
    bool isInMillis_ = false;  // the time column has type TIMESTAMP, in milliseconds
    std::vector<TagColumn> tagColumns_;
    std::map<std::string, size_t, std::less<>> tagByName_, fieldByName_;
    std::vector<std::unique_ptr<Field>> fields_;
    std::vector<int32_t> fieldOrder_;  // indexes of the fields of the last line: the next line mostly has the same
    std::map<const TagShape*, std::vector<size_t>> shapes_;  // indexes into tagColumns_ by tag shape
    std::vector<TagSet*> sets_;                              // tag sets of the rows
    std::vector<int32_t> positions_;                         // index into sets_ for each row
    std::vector<int64_t> times_;
};

}  // namespace pelorus
