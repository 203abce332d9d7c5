#include "storage/rows/row_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "common/check.h"
#include "common/error.h"

namespace pelorus {

SystemError snapshotTooOld(uint64_t number) {
    return SystemError(fmt::format("<SnapshotTooOld>The snapshot {} is too old: what readers need of superseded rows "
                                   "takes more than a quarter of the memory.",
                                   number),
                       "Run the query or the transaction again.", true);
}

RowPage::RowPage(const RowColumns& columns, const TransactionSlots& slots) : slots_(slots) {
    const LatchWriter latch(latch_);
    makeColumns(columns);
}

RowPage::~RowPage() = default;

void RowPage::addColumns(const RowColumns& columns) {
    const LatchWriter latch(latch_);
    makeColumns(columns);
}

void RowPage::makeColumns(const RowColumns& columns) {
    for (size_t i = columns_.size(); i < columns.size(); ++i) {
        const bool isText = isTextColumn(columns[i]);
        const int width = isText ? static_cast<int>(sizeof(TextHandle)) : widthOf(columns[i].type);
        Column column{columns[i].type, width, isText,
                      std::make_unique<char[]>(static_cast<size_t>(width) * static_cast<size_t>(kRows))};
        if (!isText) {
            const RowCell null = nullCell(column.type);
            for (int slot = 0; slot < kRows; ++slot)
                std::memcpy(column.cells.get() + static_cast<ptrdiff_t>(slot) * width, null.data(), null.size());
        }
        columns_.push_back(std::move(column));
    }
}

RowCell RowPage::cell(int slot, int column) const {
    const Column& from = columns_[static_cast<size_t>(column)];
    const char* bytes = from.cells.get() + static_cast<ptrdiff_t>(slot) * from.width;
    if (!from.isText) return {bytes, static_cast<size_t>(from.width)};
    TextHandle text;
    std::memcpy(&text, bytes, sizeof text);
    return RowCell(texts_).substr(text.offset, text.sizeBytes);
}

void RowPage::setCell(int slot, int column, RowCell value) {
    const Column& to = columns_[static_cast<size_t>(column)];
    char* bytes = to.cells.get() + static_cast<ptrdiff_t>(slot) * to.width;
    if (!to.isText) {
        CHECK(value.size() == static_cast<size_t>(to.width)) << "a cell is as wide as its column";
        std::memcpy(bytes, value.data(), value.size());
        return;
    }
    TextHandle text;
    std::memcpy(&text, bytes, sizeof text);
    unusedTextBytes_ += text.sizeBytes;
    text = {};
    std::memcpy(bytes, &text, sizeof text);
    if (value.empty()) return;
    const bool isHalfUnused = unusedTextBytes_ > 4096 && unusedTextBytes_ > texts_.size() / 2;
    if (isHalfUnused || texts_.size() + value.size() > UINT32_MAX) rewriteTexts();
    CHECK(texts_.size() + value.size() <= UINT32_MAX) << "a change checks that its strings have room";
    text = {static_cast<uint32_t>(texts_.size()), static_cast<uint32_t>(value.size())};
    texts_.append(value);
    std::memcpy(bytes, &text, sizeof text);
}

void RowPage::rewriteTexts() {
    std::string kept;
    kept.reserve(texts_.size() - unusedTextBytes_);
    for (const Column& column : columns_) {
        if (!column.isText) continue;
        for (int slot = 0; slot < usedSlots_; ++slot) {
            char* bytes = column.cells.get() + static_cast<ptrdiff_t>(slot) * column.width;
            TextHandle text;
            std::memcpy(&text, bytes, sizeof text);
            const auto offset = static_cast<uint32_t>(kept.size());
            kept.append(texts_, text.offset, text.sizeBytes);
            text.offset = offset;
            std::memcpy(bytes, &text, sizeof text);
        }
    }
    texts_ = std::move(kept);
    unusedTextBytes_ = 0;
}

void RowPage::setState(Header& header, RowStamp stamp, bool isLive) {
    taggedRows_ +=
        static_cast<int>(TransactionSlots::isTag(stamp)) - static_cast<int>(TransactionSlots::isTag(header.stamp));
    liveRows_ += static_cast<int>(isLive) - static_cast<int>(header.isLive != 0);
    if (!TransactionSlots::isTag(stamp)) newestNumber_ = std::max(newestNumber_, stamp);
    header.stamp = stamp;
    header.isLive = isLive ? 1 : 0;
}

// Throws UserError when the strings of the page would not fit with these cells.
void RowPage::checkTextRoom(const std::vector<int>& columns, const std::vector<RowCell>& cells) const {
    uint64_t total = texts_.size() - unusedTextBytes_;
    for (size_t i = 0; i < columns.size(); ++i) {
        if (columns_[static_cast<size_t>(columns[i])].isText) total += cells[i].size();
    }
    if (total <= UINT32_MAX) return;
    throw UserError("The strings of 1,024 neighbouring rows of a row table have more than 4 GiB. Nothing was written.",
                    "Keep long strings in a table of columns.");
}

RowOutcome RowPage::change(RowStamp tag, uint64_t seen, const std::vector<RowCell>& cells, UndoRecord& undo, Met& met) {
    const LatchWriter latch(latch_);
    Header& header = rows_[static_cast<size_t>(undo.slot)];
    if (header.stamp != tag) {
        const uint64_t number = slots_.numberOf(header.stamp);
        if (number >= TransactionSlots::kAborted) {
            met.owner = header.stamp;
            return RowOutcome::Busy;
        }
        met.number = number;
        if (number > seen) return RowOutcome::Changed;
    }
    if ((header.isLive != 0) != (undo.kind != RowChangeKind::Insert)) return RowOutcome::Changed;
    checkTextRoom(undo.columns, cells);
    std::vector<int> inserted;  // need no image: the row was not there
    if (undo.kind == RowChangeKind::Insert) inserted.swap(undo.columns);
    const std::vector<int>& columns = undo.kind == RowChangeKind::Insert ? inserted : undo.columns;
    for (const int column : undo.columns) undo.cells.add(cell(undo.slot, column));
    // From here on the before-image can be put back, also when there is no memory for a cell.
    undo.page = this;
    undo.wasLive = header.isLive != 0;
    undo.stamp = header.stamp;
    undo.older = header.undo;
    usedSlots_ = std::max(usedSlots_, undo.slot + 1);
    header.undo = &undo;
    setState(header, tag, undo.kind != RowChangeKind::Erase);
    for (size_t i = 0; i < columns.size(); ++i) setCell(undo.slot, columns[i], cells[i]);
    return RowOutcome::Done;
}

// Makes a before-image one of the version before an older change, too, which is taken out of the row's chain.
static void takeOver(UndoRecord& newer, const UndoRecord& older) {
    RowCells cells;
    std::vector<int> columns = older.columns;
    for (size_t i = 0; i < older.columns.size(); ++i) cells.add(older.cells[i]);
    for (size_t i = 0; i < newer.columns.size(); ++i) {
        if (std::find(columns.begin(), columns.end(), newer.columns[i]) != columns.end()) continue;
        columns.push_back(newer.columns[i]);
        cells.add(newer.cells[i]);
    }
    newer.columns = std::move(columns);
    newer.cells = std::move(cells);
    newer.wasLive = older.wasLive;
    newer.stamp = older.stamp;
    newer.older = older.older;
}

bool RowPage::putBack(const UndoRecord& undo) {
    const LatchWriter latch(latch_);
    Header& header = rows_[static_cast<size_t>(undo.slot)];
    if (header.undo != &undo) {
        UndoRecord* newer = header.undo;
        while (newer != nullptr && newer->older != &undo) newer = newer->older;
        CHECK(newer != nullptr) << "a before-image that is put back is one of its row";
        takeOver(*newer, undo);
        return false;
    }
    for (size_t i = 0; i < undo.columns.size(); ++i) setCell(undo.slot, undo.columns[i], undo.cells[i]);
    header.undo = undo.older;
    setState(header, undo.stamp, undo.wasLive);
    return true;
}

void RowPage::stamp(int slot, RowStamp tag, uint64_t number) {
    const LatchWriter latch(latch_);
    Header& header = rows_[static_cast<size_t>(slot)];
    if (header.stamp == tag) setState(header, number, header.isLive != 0);
    for (UndoRecord* undo = header.undo; undo != nullptr; undo = undo->older) {
        if (undo->stamp == tag) undo->stamp = number;
    }
}

void RowPage::cut(const UndoRecord& undo) {
    const LatchWriter latch(latch_);
    UndoRecord** link = &rows_[static_cast<size_t>(undo.slot)].undo;
    while (*link != nullptr && *link != &undo) link = &(*link)->older;
    *link = nullptr;
}

bool RowPage::vacate(int slot) {
    const LatchWriter latch(latch_);
    Header& header = rows_[static_cast<size_t>(slot)];
    if (header.isLive != 0 || header.undo != nullptr || TransactionSlots::isTag(header.stamp)) return false;
    for (size_t c = 0; c < columns_.size(); ++c) {
        if (columns_[c].isText) setCell(slot, static_cast<int>(c), {});
    }
    setState(header, 0, false);
    return true;
}

void RowPage::load(int slot, RowChangeKind kind, uint64_t number, const RowColumns& all,
                   const std::vector<int>& columns, const std::vector<RowCell>& cells) {
    const LatchWriter latch(latch_);
    makeColumns(all);
    usedSlots_ = std::max(usedSlots_, slot + 1);
    for (size_t i = 0; i < columns.size(); ++i) setCell(slot, columns[i], cells[i]);
    setState(rows_[static_cast<size_t>(slot)], number, kind != RowChangeKind::Erase);
}

bool RowPage::sees(const RowView& view, RowStamp stamp) const {
    return (view.own != 0 && stamp == view.own) || slots_.numberOf(stamp) <= view.number;
}

bool RowPage::isSettled(const RowView& view) const {
    return taggedRows_ == 0 && newestNumber_ <= view.number;
}

RowPage::Version RowPage::versionIn(const RowView& view, int slot) const {
    const Header& header = rows_[static_cast<size_t>(slot)];
    Version version{header.isLive != 0, header.stamp, header.undo};
    while (!sees(view, version.stamp)) {
        if (version.end == nullptr) throw snapshotTooOld(view.number);
        version = {version.end->wasLive, version.end->stamp, version.end->older};
    }
    return version;
}

// The before-image that was applied last, and so is the oldest, has the cell of the version.
RowCell RowPage::cellIn(const Version& version, int slot, int column) const {
    RowCell found = cell(slot, column);
    for (const UndoRecord* undo = rows_[static_cast<size_t>(slot)].undo; undo != version.end; undo = undo->older) {
        const auto at = std::find(undo->columns.begin(), undo->columns.end(), column);
        if (at != undo->columns.end()) found = undo->cells[static_cast<size_t>(at - undo->columns.begin())];
    }
    return found;
}

bool RowPage::read(int slot, const RowView& view, const std::vector<int>& columns, RowCells& cells) const {
    const LatchReader latch(latch_);
    const Version version = versionIn(view, slot);
    if (!version.isLive) return false;
    cells.reserve(columns.size());
    for (const int column : columns) cells.add(cellIn(version, slot, column));
    return true;
}

RowPage::Newest RowPage::newest(int slot, const std::vector<int>& columns, RowCells& cells) const {
    const LatchReader latch(latch_);
    const Header& header = rows_[static_cast<size_t>(slot)];
    const Version version{header.isLive != 0, header.stamp, header.undo};
    for (const int column : columns) cells.add(cellIn(version, slot, column));
    return {header.stamp, slots_.numberOf(header.stamp), version.isLive};
}

RowPage::Newest RowPage::versionOf(int slot, const RowView& view, const std::vector<int>& columns,
                                   RowCells& cells) const {
    const LatchReader latch(latch_);
    const Version version = versionIn(view, slot);
    for (const int column : columns) cells.add(cellIn(version, slot, column));
    return {version.stamp, slots_.numberOf(version.stamp), version.isLive};
}

int RowPage::versions(int slot, uint64_t from, const std::vector<int>& columns, std::vector<RowCells>& cells) const {
    const LatchReader latch(latch_);
    const Header& header = rows_[static_cast<size_t>(slot)];
    int count = 0;
    for (Version version{header.isLive != 0, header.stamp, header.undo};;) {
        if (version.isLive) {
            RowCells& one = cells.emplace_back();
            for (const int column : columns) one.add(cellIn(version, slot, column));
            ++count;
        }
        if (version.end == nullptr || slots_.numberOf(version.stamp) <= from) return count;
        version = {version.end->wasLive, version.end->stamp, version.end->older};
    }
}

size_t RowPage::textBytes() const {
    const LatchReader latch(latch_);
    return texts_.size();
}

int64_t RowPage::rowCount(const RowView& view) const {
    const LatchReader latch(latch_);
    if (isSettled(view)) return liveRows_;
    int64_t count = 0;
    for (int slot = 0; slot < usedSlots_; ++slot) count += versionIn(view, slot).isLive ? 1 : 0;
    return count;
}

void RowPage::slots(const RowView& view, std::vector<int>& slots) const {
    const LatchReader latch(latch_);
    for (int slot = 0; slot < usedSlots_; ++slot) {
        if (versionIn(view, slot).isLive) slots.push_back(slot);
    }
}

int64_t RowPage::copyColumn(const RowView& view, int column, Vector& values, int64_t at) const {
    const LatchReader latch(latch_);
    const bool isThere = static_cast<size_t>(column) < columns_.size();
    const bool isText = storageOf(values.type()) == Storage::String;
    const bool isSettledHere = isSettled(view);
    const auto width = static_cast<size_t>(values.width());
    char* target = isText ? nullptr : values.mutableRaw() + static_cast<size_t>(at) * width;
    if (isThere && !isText && isSettledHere && liveRows_ == usedSlots_) {
        std::memcpy(target, columns_[static_cast<size_t>(column)].cells.get(), static_cast<size_t>(usedSlots_) * width);
        return usedSlots_;
    }
    int64_t count = 0;
    for (int slot = 0; slot < usedSlots_; ++slot) {
        RowCell value = nullCell(values.type());
        if (isSettledHere) {
            if (rows_[static_cast<size_t>(slot)].isLive == 0) continue;
            if (isThere) value = cell(slot, column);
        } else {
            const Version version = versionIn(view, slot);
            if (!version.isLive) continue;
            if (isThere) value = cellIn(version, slot, column);
        }
        if (isText)
            values.setString(at + count, value);
        else
            std::memcpy(target + static_cast<size_t>(count) * width, value.data(), width);
        ++count;
    }
    return count;
}

}  // namespace pelorus
