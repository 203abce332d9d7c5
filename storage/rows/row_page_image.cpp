#include "storage/rows/row_page_image.h"

#include <array>

#include "common/error.h"

namespace pelorus {

bool RowPageImage::isChangedSince(const RowPage& page, uint64_t number) {
    const LatchReader latch(page.latch_);
    return page.taggedRows_ != 0 || page.newestNumber_ > number;
}

int64_t RowPageImage::sizeBytes(const RowPage& page) {
    const LatchReader latch(page.latch_);
    auto bytes = static_cast<int64_t>(page.texts_.size());
    for (const RowPage::Column& column : page.columns_) bytes += int64_t{column.width} * page.usedSlots_;
    return bytes;
}

void RowPageImage::append(const RowPage& page, const RowView& view, std::string& bytes) {
    const LatchReader latch(page.latch_);
    ByteWriter writer(bytes);
    const int used = page.usedSlots_;
    const bool isSettled = page.isSettled(view);
    std::array<RowPage::Version, RowPage::kRows> versions;
    std::string live(static_cast<size_t>(used + 7) / 8, '\0');
    for (int slot = 0; slot < used; ++slot) {
        RowPage::Version& version = versions[static_cast<size_t>(slot)];
        version = page.versionIn(view, slot);
        if (version.isLive) live[static_cast<size_t>(slot / 8)] |= static_cast<char>(1 << (slot % 8));
    }
    writer.varint(static_cast<uint64_t>(used));
    writer.raw(live.data(), live.size());
    writer.varint(page.columns_.size());
    for (size_t c = 0; c < page.columns_.size(); ++c) {
        const RowPage::Column& column = page.columns_[c];
        if (!column.isText && isSettled) {
            writer.raw(column.cells.get(), static_cast<size_t>(used) * static_cast<size_t>(column.width));
            continue;
        }
        std::string texts;
        for (int slot = 0; slot < used; ++slot) {
            const RowPage::Version& version = versions[static_cast<size_t>(slot)];
            const RowCell cell =
                version.isLive ? page.cellIn(version, slot, static_cast<int>(c)) : nullCell(column.type);
            if (column.isText) {
                writer.varint(cell.size());
                texts.append(cell);
            } else {
                writer.raw(cell.data(), cell.size());
            }
        }
        bytes.append(texts);
    }
}

int RowPageImage::load(RowPage& page, ByteReader& reader, const RowColumns& columns, uint64_t number) {
    const LatchWriter latch(page.latch_);
    page.makeColumns(columns);
    const uint64_t used = reader.varint();
    if (used > RowPage::kRows) throw SystemError("An image of rows has more than a page.");
    const std::string_view live = reader.raw((used + 7) / 8);
    const uint64_t count = reader.varint();
    if (count > columns.size()) throw SystemError("An image of rows has more columns than the table.");
    for (size_t c = 0; c < count; ++c) {
        const RowPage::Column& column = page.columns_[c];
        if (!column.isText) {
            const std::string_view cells = reader.raw(used * static_cast<size_t>(column.width));
            std::memcpy(column.cells.get(), cells.data(), cells.size());
            continue;
        }
        std::array<RowPage::TextHandle, RowPage::kRows> texts;
        uint64_t end = page.texts_.size();
        const uint64_t begin = end;
        for (size_t slot = 0; slot < used; ++slot) {
            const uint64_t size = reader.varint();
            if (size > kMaxCellBytes || end + size > UINT32_MAX)
                throw SystemError("An image of rows has a string that is too long.");
            texts[slot] = {static_cast<uint32_t>(size == 0 ? 0 : end), static_cast<uint32_t>(size)};
            end += size;
        }
        page.texts_.append(reader.raw(end - begin));
        std::memcpy(column.cells.get(), texts.data(), used * sizeof texts[0]);
    }
    for (size_t slot = 0; slot < used; ++slot) {
        const bool isLive = (live[slot / 8] >> (slot % 8) & 1) != 0;
        page.setState(page.rows_[slot], isLive ? number : 0, isLive);
    }
    page.usedSlots_ = static_cast<int>(used);
    return page.usedSlots_;
}

}  // namespace pelorus
