#include "server/line_protocol/line_batch.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>

#include "server/line_protocol/line_lexer.h"

namespace pelorus {
namespace {

int64_t nowNanos() {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch())
        .count();
}

// Skips an optional carriage return and the line break.
const char* endLine(const char* at, const char* end) {
    if (at < end && *at == '\r') ++at;
    if (at == end) throw CutLine{};
    if (*at != '\n')
        throw LineError(fmt::format("the end of the line is expected before {}", excerpt(at, std::min(end, at + 20))));
    return at + 1;
}

const char* skipLine(const char* at, const char* end) {
    const void* found = std::memchr(at, '\n', static_cast<size_t>(end - at));
    if (found == nullptr) throw CutLine{};
    return static_cast<const char*>(found) + 1;
}

}  // namespace

LineBatch::LineBatch(TagSets& tags, LineCatalog& catalog, int64_t unitNanos)
    : tags_(tags), catalog_(catalog), unitNanos_(unitNanos), number_(tags.beginBatch()) {}

std::string LineBatch::errorTable() const {
    return current_ == nullptr ? "" : current_->shape->table;
}

size_t LineBatch::add(std::string_view bytes, bool isAll) {
    const char* at = bytes.data();
    const char* end = at + bytes.size();
    while (at < end) {
        goodBytes_ = static_cast<size_t>(at - bytes.data());
        try {
            at = addLine(at, end);
            continue;
        } catch (const CutLine&) {
        }
        if (static_cast<size_t>(end - at) > kMaxLineBytes) {
            ++line_;
            throw LineError(fmt::format("the line is longer than {} bytes", kMaxLineBytes));
        }
        if (!isAll) break;
        const std::string last = std::string(at, end) + '\n';
        try {
            addLine(last.data(), last.data() + last.size());
        } catch (const CutLine&) {
            ++line_;
            throw LineError("the last line is cut off");
        }
        at = end;
    }
    return static_cast<size_t>(at - bytes.data());
}

// Throws LineError for a line that is too long: before its row counts, so that a refused line leaves none.
static void requireLength(const char* begin, const char* end) {
    if (static_cast<size_t>(end - begin) > LineBatch::kMaxLineBytes)
        throw LineError(fmt::format("the line is longer than {} bytes", LineBatch::kMaxLineBytes));
}

const char* LineBatch::addLine(const char* at, const char* end) {
    current_ = nullptr;
    const char* begin = at;
    try {
        if (*at == '\n' || *at == '\r') {
            at = endLine(at, end);
        } else if (*at == '#') {
            at = skipLine(at, end);
            requireLength(begin, at);
        } else {
            TagSet* set = tags_.read(at, end);
            current_ = set;
            TableRows& table = tableOf(*set);
            try {
                at = addFields(table, begin, at, end);
            } catch (...) {
                table.truncate(table.rowCount());
                throw;
            }
            table.positions_.push_back(set->position);
            ++rowCount_;
        }
    } catch (const UserError&) {
        ++line_;
        throw;
    }
    ++line_;
    return at;
}

// Fields and time; the row counts from its time on.
const char* LineBatch::addFields(TableRows& table, const char* line, const char* at, const char* end) {
    const int64_t row = table.rowCount();
    LineValue value;
    for (size_t position = 0;; ++position) {
        TableRows::Field& field = table.readField(position, at, end);
        at = readValue(at, end, value);
        field.column.set(row, value);
        if (value.kind == LineKind::Array && !value.shape.empty()) table.setShape(field, row, value);
        if (at == end) throw CutLine{};
        if (*at != ',') break;
        ++at;
    }
    int64_t nanos = 0;
    if (*at == ' ') {
        while (at < end && *at == ' ') ++at;
        if (at == end) throw CutLine{};
        if (*at != '\n' && *at != '\r')
            at = readTime(at, end, unitNanos_, nanos);
        else
            nanos = nowNanos();
    } else {
        nanos = nowNanos();
    }
    at = endLine(at, end);
    requireLength(line, at);
    table.addTime(nanos);
    return at;
}

LineBatch::TableRows& LineBatch::tableOf(TagSet& set) {
    if (set.batch == number_) return *tables_[static_cast<size_t>(set.tableOfBatch)];
    const auto shape = static_cast<size_t>(set.shape->number);
    if (tableOfShape_.size() <= shape) tableOfShape_.resize(shape + 1, -1);
    int32_t& number = tableOfShape_[shape];
    if (number < 0) {
        const auto known = std::find_if(tables_.begin(), tables_.end(),
                                        [&](const auto& table) { return table->name() == set.shape->table; });
        if (known == tables_.end()) {
            auto made = std::make_unique<TableRows>(set.shape->table, catalog_.find(set.shape->table), catalog_);
            made->useShape(*set.shape);
            tables_.push_back(std::move(made));
            number = static_cast<int32_t>(tables_.size()) - 1;
        } else {
            (*known)->useShape(*set.shape);
            number = static_cast<int32_t>(known - tables_.begin());
        }
    }
    TableRows& table = *tables_[static_cast<size_t>(number)];
    table.useSet(set, number, number_);
    return table;
}

}  // namespace pelorus
