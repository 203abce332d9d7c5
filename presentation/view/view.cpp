#include "presentation/view/view.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/error.h"
#include "common/thread/stack_room.h"
#include "presentation/view/text_width.h"
#include "presentation/view/view_grid.h"
#include "runtime/format/to_source.h"
#include "runtime/table/table.h"
#include "runtime/text/delimited_text.h"
#include "runtime/text/json.h"
#include "runtime/value/array_vector.h"
#include "runtime/value/dictionary.h"
#include "runtime/value/print.h"

namespace pelorus {

namespace {

constexpr std::pair<std::string_view, ViewMode> kModes[] = {{"table", ViewMode::Table},
                                                            {"vertical", ViewMode::Vertical},
                                                            {"csv", ViewMode::Csv},
                                                            {"json", ViewMode::Json},
                                                            {"markdown", ViewMode::Markdown}};

bool alignsRight(Type type) {
    const Category category = categoryOf(type);
    return category == Category::Integral || category == Category::Floating || category == Category::Temporal ||
           category == Category::Denary || category == Category::Complex;
}

std::string columnType(const ColumnSchema& column) {
    std::string type(typeName(column.type));
    if (categoryOf(column.type) == Category::Denary) type += fmt::format("({})", column.scale);
    return type;
}

ViewGrid gridOf(const Ref<MemoryTable>& table) {
    ViewGrid grid;
    grid.columnCount = table->columnCount();
    grid.rowCount = table->rowCount();
    grid.column = [table](int64_t i) {
        const ColumnSchema& schema = table->columns()[static_cast<size_t>(i)];
        const bool isNumber = alignsRight(schema.type);
        return ViewColumn{schema.name, columnType(schema), isNumber, !isNumber,
                          [table, i](int64_t row) { return viewCellOf(table->column(static_cast<int>(i)), row); }};
    };
    return grid;
}

ViewGrid gridOf(const Value& value, const Matrix& matrix) {
    ViewGrid grid;
    grid.hasLabels = !matrix.rowLabels.isVoid();
    const int64_t labels = grid.hasLabels ? 1 : 0;
    grid.columnCount = matrix.columns + labels;
    grid.rowCount = matrix.rows;
    grid.what = fmt::format(" ({} matrix)", typeName(matrix.cells->type()));
    grid.column = [value, labels](int64_t i) {
        const Matrix& m = value.matrix();
        if (i < labels)
            return ViewColumn{"", "", false, true,
                              [value](int64_t row) { return viewCell(value.matrix().rowLabels.at(row)); }};
        const int64_t column = i - labels;
        const std::string name =
            m.columnLabels.isVoid() ? "#" + std::to_string(column) : toString(m.columnLabels.at(column));
        const bool isNumber = alignsRight(m.cells->type());
        return ViewColumn{name, "", isNumber, !isNumber, [value, column](int64_t row) {
                              const Matrix& cells = value.matrix();
                              return viewCell(cells.cells->at(column * cells.rows + row));
                          }};
    };
    return grid;
}

bool isBlock(const Value& value) {
    return value.isTable() || value.isMatrix() || value.isDictionary();
}

std::string indented(const std::string& block) {
    std::string string;
    for (size_t begin = 0; begin < block.size();) {
        const size_t end = std::min(block.find('\n', begin), block.size() - 1);
        string += "  " + block.substr(begin, end + 1 - begin);
        begin = end + 1;
    }
    return string;
}

class ViewWriter {
public:
    ViewWriter(const ViewOptions& options, const ViewSink& sink)
        : options_(options), sink_(sink), styles_(options.colors) {}

    void value(const Value& v) {
        requireStackRoom();
        switch (v.form()) {
            case Form::Scalar:
                return scalar(v);
            case Form::Vector:
                return v.isTuple() && hasBlocks(v)
                           ? blocks(v)
                           : elements(v, v.isTuple() ? "(" : "[", v.isTuple() ? ")" : "]", typeString(v));
            case Form::Set:
                return elements(v.set().index.keys(), "set(", ")", typeString(v));
            case Form::Dictionary:
                return dictionary(v.dictionary());
            case Form::Matrix:
                return grid(gridOf(v, v.matrix()));
            case Form::Table:
                return table(v.table());
            default:
                return line(viewCell(v));
        }
    }

private:
    void line(const ViewCell& cell) {
        sink_(cell.isNull ? styles_.dim + cell.string + styles_.end + '\n' : cell.string + '\n');
    }

    // Strings and functions are written verbatim, on as many lines as they have.
    void scalar(const Value& v) {
        const bool hasLines = (isLiteral(v.type()) && !v.isNull()) || categoryOf(v.type()) == Category::System;
        line(hasLines ? ViewCell{printableString(toString(v), true)} : viewCell(v));
    }

    void grid(const ViewGrid& grid) {
        if (options_.mode == ViewMode::Vertical) {
            writeVertical(grid, options_, sink_);
        } else {
            writeGrid(grid, options_, sink_);
        }
    }

    void table(Table& table) {
        if (const Ref<MemoryTable> memory = tableToRead(table)) return grid(gridOf(memory));
        // The rows are on disk, perhaps on several nodes: only a query reads them.
        const auto* partitioned = table.asPartitioned();
        const std::string path = partitioned ? partitioned->databasePath() : "";
        std::string string = fmt::format("Table {}{}{}, {}:\n", path, path.empty() ? "" : "/", table.name,
                                         counted(table.columnCount(), "column"));
        size_t width = 0;
        for (const ColumnSchema& column : table.columns()) width = std::max(width, textWidth(column.name));
        const ShownRows rows(table.columnCount(), options_.rows);
        for (int i = 0; i < table.columnCount(); ++i) {
            if (i >= rows.head && i < rows.count - rows.tail) {
                if (i == rows.head) string += "  ⋮\n";
                continue;
            }
            const ColumnSchema& column = table.columns()[static_cast<size_t>(i)];
            const std::string name = printableString(column.name);
            string += "  " + name + std::string(width - std::min(width, textWidth(name)) + 2, ' ') + styles_.dim +
                      columnType(column) + styles_.end + '\n';
        }
        sink_(string);
    }

    bool hasBlocks(const Value& tuple) const {
        const auto& elements = tuple.tuple().elements;
        const auto end = elements.begin() + std::min<std::ptrdiff_t>(std::ssize(elements), 1'000);
        return std::any_of(elements.begin(), end, isBlock);
    }

    // Writes each element under its position.
    void blocks(const Value& tuple) {
        const ShownRows rows(tuple.size(), options_.rows);
        for (int64_t i = 0; i < rows.count; ++i) {
            if (i >= rows.head && i < rows.count - rows.tail) {
                sink_("⋮\n");
                i = rows.count - rows.tail - 1;
                continue;
            }
            const Value element = tuple.at(i);
            const std::string place = fmt::format("{}[{}]{}", styles_.dim, i, styles_.end);
            sink_(isBlock(element) ? place + '\n' + nested(element) : place + ' ' + viewElement(element).string + '\n');
        }
        if (!rows.isWhole()) foot(tuple.size(), typeString(tuple));
    }

    std::string nested(const Value& v) const {
        ViewOptions narrower = options_;
        if (narrower.width > 0) narrower.width = std::max(narrower.width - 2, 1);
        return indented(viewString(v, narrower));
    }

    void foot(int64_t size, const std::string& type) {
        sink_(fmt::format("{}{} ({}){}\n", styles_.dim, counted(size, "element"), type, styles_.end));
    }

    void elements(const Value& v, const std::string& open, const std::string& close, const std::string& type) {
        // Many elements take the place of one row.
        constexpr int64_t kElementsPerRow = 2;
        const ShownRows rows(v.size(), options_.rows * kElementsPerRow);
        std::string string = open;
        size_t width = textWidth(open);
        for (int64_t i = 0; i < rows.count; ++i) {
            ViewCell cell;
            const bool isGap = i >= rows.head && i < rows.count - rows.tail;
            if (isGap) {
                cell = {"…", true};
                i = rows.count - rows.tail - 1;
            } else if (v.isArrayVector()) {
                cell = viewCellOf(v, i);
            } else {
                cell = viewElement(v.at(i));
            }
            const size_t wide = textWidth(cell.string) + (i + 1 < rows.count ? 1 : textWidth(close));
            if (options_.width > 0 && width > open.size() && width + wide > static_cast<size_t>(options_.width)) {
                string += '\n' + std::string(open.size(), ' ');
                width = open.size();
            }
            string += cell.isNull ? styles_.dim + cell.string + styles_.end : cell.string;
            width += wide;
            if (i + 1 < rows.count) string += ',';
            constexpr size_t kPiece = 1 << 16;
            if (string.size() > kPiece) {
                if (!sink_(string)) return;
                string.clear();
            }
        }
        sink_(string + close + '\n');
        if (!rows.isWhole()) foot(v.size(), type);
    }

    void dictionary(const Dictionary& entries) {
        const ShownRows rows(entries.size(), options_.rows);
        if (entries.size() == 0) {
            sink_(fmt::format("{{}} {}(empty dictionary){}\n", styles_.dim, styles_.end));
            return;
        }
        std::vector<int64_t> shown;
        for (int64_t i = 0; i < rows.head; ++i) shown.push_back(i);
        for (int64_t i = rows.count - rows.tail; i < rows.count; ++i) shown.push_back(i);
        size_t width = 0;
        const size_t widest = options_.width > 0 ? static_cast<size_t>(options_.width) / 2 : SIZE_MAX;
        for (const int64_t i : shown)
            width = std::max(width, std::min(widest, textWidth(viewCell(entries.keyAt(i)).string)));
        std::string string;
        for (const int64_t i : shown) {
            if (!rows.isWhole() && i == rows.count - rows.tail) string += "⋮\n";
            const ViewCell key = viewCell(entries.keyAt(i));
            const Value v = entries.valueAt(i);
            string += styles_.bold + key.string + styles_.end;
            const size_t keyWidth = textWidth(key.string);
            if (!isBlock(v)) string.append(width - std::min(width, keyWidth), ' ');
            string += fmt::format(" {}->{}", styles_.dim, styles_.end);
            if (isBlock(v)) {
                string += '\n' + nested(v);
                continue;
            }
            ViewCell cell = viewCell(v);
            const size_t before = std::max(width, keyWidth) + 4;
            if (options_.width > 0 && !isBlock(v) && v.isString() &&
                before + textWidth(cell.string) > static_cast<size_t>(options_.width)) {
                const size_t room = static_cast<size_t>(options_.width) > before + 8
                                        ? static_cast<size_t>(options_.width) - before - 1
                                        : 8;
                cell.string = cell.string.substr(0, prefixOfWidth(cell.string, room)) + "…";
            }
            string += ' ';
            string += cell.isNull ? styles_.dim + cell.string + styles_.end : cell.string;
            string += '\n';
        }
        sink_(string);
        if (!rows.isWhole())
            sink_(fmt::format("{}{} entries, {} shown{}\n", styles_.dim, groupedDigits(rows.count), rows.shown(),
                              styles_.end));
    }

    const ViewOptions& options_;
    const ViewSink& sink_;
    const ViewStyles styles_;
};

// Returns a column of strings in the place of one whose cells are containers.
Value writableColumn(const Value& column) {
    if (!column.isTuple()) return column;
    std::vector<std::string> strings;
    for (const Value& element : column.tuple().elements)
        strings.push_back(element.isScalar() ? toString(element) : toLiteral(element));
    return Value::of(Vector::ofStrings(strings));
}

// Returns any value as rows, for the modes that other programs read.
Ref<MemoryTable> rowsOf(const Value& value) {
    auto rows = makeRef<MemoryTable>();
    switch (value.form()) {
        case Form::Table: {
            const Ref<MemoryTable> table = tableToRead(value.table());
            if (!table)
                throw UserError("A table on disk has no rows to show by itself.", "Select them: select * from …");
            for (int c = 0; c < table->columnCount(); ++c)
                rows->setColumn(table->columns()[static_cast<size_t>(c)].name, writableColumn(table->column(c)));
            return rows;
        }
        case Form::Matrix: {
            const Matrix& matrix = value.matrix();
            if (!matrix.rowLabels.isVoid()) rows->setColumn("label", matrix.rowLabels);
            for (int64_t c = 0; c < matrix.columns; ++c) {
                rows->setColumn(
                    matrix.columnLabels.isVoid() ? fmt::format("C{}", c) : toString(matrix.columnLabels.at(c)),
                    Value::of(matrix.column(c)));
            }
            return rows;
        }
        case Form::Dictionary:
            rows->setColumn("key", writableColumn(value.dictionary().keys()));
            rows->setColumn("value", writableColumn(value.dictionary().values()));
            return rows;
        case Form::Set:
            rows->setColumn("value", value.set().index.keys());
            return rows;
        case Form::Vector:
            rows->setColumn("value", writableColumn(value));
            return rows;
        default:
            rows->setColumn("value",
                            Value::of(Vector::ofStrings({value.isScalar() ? toString(value) : display(value)})));
            return rows;
    }
}

constexpr int64_t kRowsAtOnce = 4096;

void writeCsv(const MemoryTable& rows, const ViewSink& sink) {
    std::string string;
    text::writeHeader(rows.columns(), ',', string);
    for (int64_t row = 0; row < rows.rowCount(); row += kRowsAtOnce) {
        text::writeLines(*rows.slice(row, std::min(kRowsAtOnce, rows.rowCount() - row)), ',', string);
        if (!sink(string)) return;
        string.clear();
    }
    if (!string.empty()) sink(string);
}

void writeMarkdown(const MemoryTable& rows, const ViewSink& sink) {
    const auto escaped = [](std::string string) {
        for (size_t at = 0; (at = string.find('|', at)) != std::string::npos; at += 2) string.insert(at, 1, '\\');
        return string;
    };
    std::string string, rule = "|";
    string += '|';
    for (const ColumnSchema& column : rows.columns()) {
        string += ' ' + escaped(printableString(column.name)) + " |";
        rule += alignsRight(column.type) ? " ---: |" : " --- |";
    }
    string += '\n' + rule + '\n';
    for (int64_t row = 0; row < rows.rowCount(); ++row) {
        string += '|';
        for (int c = 0; c < rows.columnCount(); ++c) {
            const ViewCell cell = viewCellOf(rows.column(c), row);
            string += ' ' + (cell.isNull ? "" : escaped(cell.string)) + " |";
        }
        string += '\n';
        if (row % kRowsAtOnce != 0) continue;
        if (!sink(string)) return;
        string.clear();
    }
    if (!string.empty()) sink(string);
}

void writeJson(const Value& value, const ViewSink& sink) {
    const Ref<MemoryTable> table = tableToRead(value);
    if (!table) {
        try {
            sink(toJson(value) + '\n');
        } catch (const UserError&) {  // a form that JSON does not have
            sink(toJson(value.isMatrix() ? Value::of(Ref<Table>(rowsOf(value))) : Value::ofString(display(value))) +
                 '\n');
        }
        return;
    }
    std::string string = "[";
    for (int64_t row = 0; row < table->rowCount(); ++row) {
        if (row > 0) string += ",\n ";
        const std::string one = toJson(Value::of(Ref<Table>(table->slice(row, 1))));
        string.append(one, 1, one.size() - 2);  // without the brackets of the array
        constexpr size_t kPiece = 1 << 16;
        if (string.size() < kPiece) continue;
        if (!sink(string)) return;
        string.clear();
    }
    sink(string + "]\n");
}

}  // namespace

std::optional<ViewMode> viewModeOf(std::string_view name) {
    for (const auto& [known, mode] : kModes)
        if (known == name) return mode;
    return std::nullopt;
}

std::string_view viewModeName(ViewMode mode) {
    return std::find_if(std::begin(kModes), std::end(kModes), [&](const auto& m) { return m.second == mode; })->first;
}

void writeView(const Value& value, const ViewOptions& options, const ViewSink& sink) {
    switch (options.mode) {
        case ViewMode::Csv:
            return writeCsv(*rowsOf(value), sink);
        case ViewMode::Json:
            return writeJson(value, sink);
        case ViewMode::Markdown:
            return writeMarkdown(*rowsOf(value), sink);
        case ViewMode::Table:
        case ViewMode::Vertical:
            return ViewWriter(options, sink).value(value);
    }
}

std::string viewString(const Value& value, const ViewOptions& options) {
    std::string string;
    writeView(value, options, [&](std::string_view piece) {
        string += piece;
        return true;
    });
    return string;
}

}  // namespace pelorus
