#include "presentation/import/import_notice.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "common/string/trim.h"
#include "runtime/format/to_source.h"

namespace pelorus::text {

namespace {

constexpr size_t kColumnsNamed = 5;

std::string literal(std::string_view string) {
    return toLiteral(Value::ofString(string));
}

std::string literals(const std::vector<std::string>& strings) {
    std::string list;
    for (const std::string& string : strings) list += (list.empty() ? "[" : ",") + literal(string);
    return list + "]";
}

std::string joined(const std::vector<std::string>& parts, size_t total) {
    std::string string;
    for (size_t i = 0; i < parts.size(); ++i)
        string += (i == 0 ? "" : i + 1 == parts.size() && total == parts.size() ? " and " : ", ") + parts[i];
    if (total > parts.size()) string += fmt::format(" and {} more", total - parts.size());
    return string;
}

// Returns "1 line has", "3 lines have".
std::string counted(int64_t count, const char* noun, const char* one, const char* many) {
    return fmt::format("{} {}{} {}", count, noun, count == 1 ? "" : "s", count == 1 ? one : many);
}

// Lists the first columns with their descriptions from `describe`.
template <class Columns, class F>
std::string named(const Columns& columns, F&& describe) {
    std::vector<std::string> parts;
    for (size_t i = 0; i < columns.size() && i < kColumnsNamed; ++i) parts.push_back(describe(columns[i]));
    return joined(parts, columns.size());
}

class Notice {
public:
    explicit Notice(const ImportSummary& summary) : summary_(summary) {}

    void addChanges() {
        addDelimiter();
        addRenamed();
        addOddColumns();
    }

    void addLosses() {
        const TextReport& report = summary_.report;
        addFields(report.bad, [&](size_t c) { addBad(c); });
        addFields(report.rounded, [&](size_t c) { addRounded(c); });
        addOddBytes();
        addLines(report.shortLines, "too few fields", "what is missing is NULL");
        addLines(report.longLines, "too many fields", "the surplus is ignored");
        if (report.openQuote > 0) {
            lines_.push_back(
                fmt::format("The quote that opens in line {} is never closed: the rest of the file is one field.",
                            report.openQuote));
        }
        std::vector<std::string> wrapping;
        for (const TextColumn& column : summary_.schema) {
            if (column.mayWrap) wrapping.push_back(column.name);
        }
        if (!wrapping.empty()) {
            lines_.push_back("INT was detected for " + named(wrapping, [](const std::string& name) { return name; }) +
                             ": products beyond 2147483647 wrap around silently, so write long(x) * y or give LONG in "
                             "the schema.");
        }
    }

    void addBlankLines() {
        const TextReport::Line& blank = summary_.report.blankLines;
        if (blank.count > 0)
            lines_.push_back(fmt::format("{} skipped, the first is line {}.",
                                         counted(blank.count, "blank line", "was", "were"), blank.first));
    }

    std::string message() const {
        if (lines_.empty()) return "";
        std::string string = summary_.path + ":";
        for (const std::string& line : lines_) string += (lines_.size() == 1 ? " " : "\n  ") + line;
        return string;
    }

private:
    void addDelimiter() {
        if (!summary_.options.detectsDelimiter || summary_.options.delimiter == ',') return;
        const char delimiter = summary_.options.delimiter;
        lines_.push_back(fmt::format(
            "Fields are separated by {0}: the first lines have no comma, but equally many of these. Give delimiter={1} "
            "or delimiter=\",\" to decide it.",
            delimiter == '\t'  ? "tabs"
            : delimiter == ';' ? "semicolons"
                               : "bars",
            literal({&delimiter, 1})));
    }

    void addRenamed() {
        struct Renamed {
            std::string from, to;
        };
        std::vector<Renamed> renamed;
        for (size_t i = 0; i < summary_.head.headings.size(); ++i) {
            std::string from = std::string(trim(summary_.head.headings[i], " "));
            if (from != summary_.head.names[i]) renamed.push_back({std::move(from), summary_.head.names[i]});
        }
        if (renamed.empty()) return;
        lines_.push_back(fmt::format("Columns got other names: {}.", named(renamed, [](const Renamed& column) {
                                         return literal(column.from) + " is " + column.to;
                                     })));
    }

    // Adds sentences such as: price is SYMBOL because of "n/a" in line 17.
    void addOddColumns() {
        const std::vector<OddColumn>& odd = summary_.odd;
        if (odd.empty()) return;
        if (isHeaderOdd()) {
            lines_.push_back(
                fmt::format("Line {} may hold the names of the columns, but has one that begins with a digit, and so "
                            "counts as a row. "
                            "Give containHeader=true if it does.",
                            summary_.head.firstLine));
            return;
        }
        for (size_t i = 0; i < odd.size() && i < kColumnsNamed; ++i) addOdd(odd[i]);
        if (odd.size() > kColumnsNamed)
            lines_.push_back(counted(static_cast<int64_t>(odd.size() - kColumnsNamed), "more column", "is", "are") +
                             " like that.");
        std::vector<OddColumn> readable;
        for (const OddColumn& column : odd) {
            if (column.kind == OddKind::OtherType) readable.push_back(column);
        }
        if (readable.empty()) return;
        const std::string types = named(readable, [&](const OddColumn& column) {
            return fmt::format("{} as {}", nameOf(column.column), typeName(column.type));
        });
        lines_.push_back(fmt::format("To read {}: {}", types, remedy(readable)));
    }

    // Returns whether the odd field is the first line, which was not taken for the header.
    bool isHeaderOdd() const {
        return summary_.options.header == Header::Detect && summary_.head.headings.empty() &&
               std::all_of(summary_.odd.begin(), summary_.odd.end(), [&](const OddColumn& column) {
                   return column.kind == OddKind::OtherType && column.count > 0 &&
                          column.line == summary_.head.firstLine;
               });
    }

    void addOdd(const OddColumn& column) {
        const std::string is =
            fmt::format("{} is {}", nameOf(column.column), typeName(summary_.schema[column.column].type));
        std::string cell;
        if (column.count > 0) {
            cell = literal(column.text);
            if (column.line > 0) cell += fmt::format(" in line {}", column.line);
            if (column.count > 1) cell += fmt::format(" and {} more in the sample", column.count - 1);
        }
        if (column.kind != OddKind::OtherType) {
            lines_.push_back(fmt::format("{}: {}", is, reasonOf(column, cell)));
            return;
        }
        if (column.format.empty()) {
            lines_.push_back(fmt::format("{} because of {}.", is, cell));
            return;
        }
        std::string line = fmt::format("{}, though its fields are dates as {}", is, column.format);
        if (!column.otherFormat.empty())
            line += fmt::format(", or as {}: none of them tells which", column.otherFormat);
        lines_.push_back(line + (cell.empty() ? "." : "; not so " + cell + "."));
    }

    // Returns why fields that look like numbers or times are none, and how to convert them.
    std::string reasonOf(const OddColumn& column, const std::string& cell) const {
        const std::string& name = nameOf(column.column);
        const std::string thousands = fmt::format("double(strReplace({}, \",\", \"\"))", name);
        const std::string decimals = fmt::format("double(strReplace(strReplace({}, \".\", \"\"), \",\", \".\"))", name);
        switch (column.kind) {
            case OddKind::Digits:
                return fmt::format(
                    "a number would not keep the digits of {}. Give LONG or DOUBLE in the schema if they do not "
                    "matter.",
                    cell);
            case OddKind::DecimalCommas:
                return fmt::format("its numbers have a decimal comma, as {}. {} converts them.", cell, decimals);
            case OddKind::ThousandsCommas:
                return fmt::format("its numbers have commas between thousands, as {}. {} converts them.", cell,
                                   thousands);
            case OddKind::EitherCommas:
                return fmt::format(
                    "its numbers have commas, as {}. {} converts them if they set off thousands, {} if they "
                    "are decimal commas.",
                    cell, thousands, decimals);
            default:
                return fmt::format("the offsets of its times differ, as that of {} from those before it.", cell);
        }
    }

    // Returns a schema to copy, or how to make one where it would be long. `odd` are columns that it can read.
    std::string remedy(const std::vector<OddColumn>& odd) const {
        constexpr size_t kColumnsListed = 8;
        const bool hasFormat =
            std::any_of(odd.begin(), odd.end(), [](const OddColumn& column) { return !column.format.empty(); });
        if (summary_.schema.size() <= kColumnsListed) {
            std::vector<std::string> names, types, formats(summary_.schema.size());
            for (const TextColumn& column : summary_.schema) {
                names.push_back(column.name);
                types.emplace_back(typeName(column.type));
            }
            for (const OddColumn& column : odd) {
                types[column.column] = typeName(column.type);
                formats[column.column] = column.format;
            }
            return fmt::format("schema=table({} as name, {} as type{})", literals(names), literals(types),
                               hasFormat ? ", " + literals(formats) + " as format" : "");
        }
        std::string script = "s = " + extractCall() + "; ";
        if (hasFormat) script += "s[\"format\"] = \"\"; ";
        constexpr size_t kColumnsWritten = 20;
        std::map<std::pair<Type, std::string>, std::vector<std::string>> groups;
        for (size_t i = 0; i < odd.size() && i < kColumnsWritten; ++i) {
            const OddColumn& column = odd[i];
            groups[{column.type, column.format}].push_back(nameOf(column.column));
        }
        for (const auto& [group, names] : groups) {
            script += fmt::format("update s set type = \"{}\"", typeName(group.first));
            if (!group.second.empty()) script += ", format = " + literal(group.second);
            script += fmt::format(" where name in {}; ", literals(names));
        }
        return script + "then give schema=s";
    }

    std::string extractCall() const {
        const TextOptions& options = summary_.options;
        std::string call = "extractTextSchema(" + literal(summary_.path);
        if (options.delimiter != ',') call += ", delimiter=" + literal({&options.delimiter, 1});
        if (options.skipLines > 0) call += fmt::format(", skipRows={}", options.skipLines);
        if (options.header != Header::Detect)
            call += fmt::format(", containHeader={}", options.header == Header::Yes ? "true" : "false");
        return call + ")";
    }

    // Adds a line for each of the first columns that have such fields.
    template <class F>
    void addFields(const std::vector<TextReport::BadColumn>& columns, F&& add) {
        std::vector<size_t> found;
        for (size_t c = 0; c < columns.size(); ++c) {
            if (columns[c].count > 0) found.push_back(c);
        }
        for (size_t i = 0; i < found.size() && i < kColumnsNamed; ++i) add(found[i]);
        if (found.size() > kColumnsNamed)
            lines_.push_back(counted(static_cast<int64_t>(found.size() - kColumnsNamed), "more column", "has", "have") +
                             " such fields.");
    }

    void addRounded(size_t c) {
        const TextReport::BadColumn& fields = summary_.report.rounded[c];
        lines_.push_back(fmt::format(
            "{}: {} digits that {} does not keep, the first is {} in line {}: give STRING in the schema to keep them.",
            nameOf(c), counted(fields.count, "field", "has", "have"), typeName(summary_.schema[c].type),
            literal(fields.text), fields.first));
    }

    void addOddBytes() {
        const auto add = [&](const TextReport::OddBytes& found, const char* what) {
            if (found.line > 0) lines_.push_back(fmt::format(fmt::runtime(what), nameOf(found.column), found.line));
        };
        add(summary_.report.notUtf8,
            "{0}: the text is not UTF-8 from line {1} on and stays as its bytes are: convert it, as toUTF8({0}, "
            "\"gbk\") "
            "does for GBK.");
        add(summary_.report.zeroBytes,
            "{0}: the text holds zero bytes, first in line {1}: the file may be damaged, or no text.");
    }

    void addBad(size_t c) {
        const TextReport::BadColumn& bad = summary_.report.bad[c];
        lines_.push_back(fmt::format("{}: {} no {} and became NULL, the first is {} in line {}.", nameOf(c),
                                     counted(bad.count, "field", "is", "are"), typeName(summary_.schema[c].type),
                                     literal(bad.text), bad.first));
    }

    void addLines(const TextReport::Line& found, const char* fault, const char* effect) {
        if (found.count == 0) return;
        lines_.push_back(fmt::format("{} {}, the first is line {}: {}.", counted(found.count, "line", "has", "have"),
                                     fault, found.first, effect));
    }

    const std::string& nameOf(size_t column) const { return summary_.schema[column].name; }

    const ImportSummary& summary_;
    std::vector<std::string> lines_;
};

}  // namespace

std::string importNotice(const ImportSummary& summary) {
    Notice notice(summary);
    notice.addChanges();
    notice.addLosses();
    notice.addBlankLines();
    return notice.message();
}

std::string importLosses(const ImportSummary& summary) {
    Notice notice(summary);
    notice.addLosses();
    return notice.message();
}

}  // namespace pelorus::text
