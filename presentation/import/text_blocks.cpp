#include "presentation/import/text_blocks.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <iterator>
#include <vector>

#include "common/check.h"
#include "common/error.h"
#include "common/io/converted_file.h"
#include "common/thread/mutex.h"
#include "common/thread/thread_pool.h"
#include "presentation/import/line_ends.h"
#include "presentation/import/odd_bytes.h"
#include "runtime/function/progress.h"
#include "runtime/text/field_ends.h"

namespace pelorus::text {

static constexpr size_t kSampledBytes = 1 << 20;
static constexpr int kSamplesBehind = 8;
static constexpr size_t kSampleBehindBytes = 64 << 10;
static constexpr int64_t kFarthestSample = 256
                                           << 20;  // used when the size is unknown: all bytes before it are inflated

// Takes the delimiter from a first line such as sep=; which spreadsheets write for each other, and skips that line.
static void takeDelimiterLine(std::string_view bytes, TextOptions& options) {
    constexpr std::string_view kMark = "\xEF\xBB\xBF", kWord = "sep=";
    if (bytes.starts_with(kMark)) bytes.remove_prefix(kMark.size());
    if (!bytes.starts_with(kWord) || bytes.size() < kWord.size() + 2) return;
    const char delimiter = bytes[kWord.size()], end = bytes[kWord.size() + 1];
    if ((end != '\n' && end != '\r') || delimiter == '"' || delimiter == '\n' || delimiter == '\r') return;
    options.delimiter = delimiter;
    options.detectsDelimiter = false;
    options.skipLines = 1;
}

TextBlocks::TextBlocks(std::unique_ptr<File> file, const TextOptions& options, size_t blockBytes)
    : file_(std::move(file)), options_(options), blockBytes_(blockBytes), fileBytes_(file_->size()) {
    sample_ = readAt(0, kSampledBytes);
    const bool isWhole = sample_.size() < kSampledBytes;
    if (isWhole) fileBytes_ = static_cast<int64_t>(sample_.size());
    if (options_.detectsDelimiter && options_.skipLines == 0) takeDelimiterLine(sample_, options_);
    if (options_.detectsDelimiter) {
        // Line ends come first, and a delimiter within them matters for quoted fields only.
        std::string lines = sample_;
        endLinesWithFeeds(lines.data(), lines.size(), options_.delimiter, options_.skipLines, isWhole);
        options_.delimiter = detectDelimiter(lines, options_);
    }
    endLinesWithFeeds(sample_.data(), sample_.size(), options_.delimiter, options_.skipLines, isWhole);
    quoteArrays(sample_.data(), sample_.size(), options_);
    head_ = readHead(sample_, options_);
    if (head_.names.empty()) throw UserError("The file " + file_->path() + " is empty.");
    offset_ = static_cast<int64_t>(head_.rowsBegin);
}

std::string TextBlocks::readAt(int64_t offset, size_t sizeBytes) const {
    std::string bytes(std::min<size_t>(sizeBytes, static_cast<size_t>(std::max<int64_t>(0, fileBytes_ - offset))),
                      '\0');
    bytes.resize(file_->readAt(offset, bytes.data(), bytes.size()));
    return bytes;
}

// Returns the offsets of samples after the first one: at equal distances up to the end, or, where that is unknown, at
// growing distances.
std::vector<int64_t> TextBlocks::samplesBehind() const {
    const auto first = static_cast<int64_t>(kSampledBytes);
    std::vector<int64_t> offsets;
    if (fileBytes_ == ConvertedFile::kUnknownSize) {
        // Wherever the end is, at most the last ninth, or half a megabyte, is not sampled.
        for (int64_t offset = first; offset <= kFarthestSample; offset += std::max(first / 2, offset / 8))
            offsets.push_back(offset);
        return offsets;
    }
    const int64_t distance = (fileBytes_ - first) / kSamplesBehind;
    for (int i = 1; i <= kSamplesBehind; ++i)
        offsets.push_back(first + distance * i - static_cast<int64_t>(kSampleBehindBytes));
    return offsets;
}

// Returns the file when its size is unknown, because it is converted while it is read.
static const ConvertedFile* convertedFile(const File& file) {
    return file.size() == ConvertedFile::kUnknownSize ? dynamic_cast<const ConvertedFile*>(&file) : nullptr;
}

int64_t TextBlocks::bytesToRead() const {
    const ConvertedFile* converted = convertedFile(*file_);
    return converted ? converted->sourceBytes() : fileBytes_;
}

void TextBlocks::countRead(TextBlock& block) {
    const ConvertedFile* converted = convertedFile(*file_);
    const int64_t read =
        converted ? converted->sourceBytesRead() : block.offset + static_cast<int64_t>(block.lines.size());
    block.readBytes = std::max<int64_t>(0, read - readBytes_);
    readBytes_ += block.readBytes;
}

TextSchema TextBlocks::detectSchema(std::vector<OddColumn>* odd) const {
    std::string sample = sample_;
    struct Part {
        size_t inSample;
        int64_t inFile;
    };
    std::vector<Part> parts{{0, 0}};
    const auto wholeLines = [](std::string& bytes) {
        if (const size_t end = bytes.rfind('\n'); end != std::string::npos) bytes.resize(end + 1);
    };
    if (static_cast<int64_t>(sample.size()) < fileBytes_) {
        wholeLines(sample);
        for (const int64_t offset : samplesBehind()) {
            std::string part = readAt(offset, kSampleBehindBytes);
            if (part.empty()) break;
            const size_t begin = part.find_first_of("\r\n");
            if (begin == std::string::npos) continue;
            endLinesWithFeeds(part.data() + begin, part.size() - begin, options_.delimiter, 1, false);
            wholeLines(part);
            parts.push_back({sample.size(), offset + static_cast<int64_t>(begin) + 1});
            sample += part.substr(begin + 1);
        }
    }
    TextSchema schema = text::detectSchema(sample, options_, odd);
    for (size_t i = 0; odd && i < odd->size(); ++i) {
        int64_t& offset = (*odd)[i].offset;
        const auto part = std::find_if(parts.rbegin(), parts.rend(), [&](const Part& candidate) {
            return static_cast<int64_t>(candidate.inSample) <= offset;
        });
        offset += part->inFile - static_cast<int64_t>(part->inSample);
    }
    return schema;
}

bool TextBlocks::next(TextBlock& block) {
    std::string& storage = block.storage;
    size_t size = rest_.size();
    block.offset = offset_ - static_cast<int64_t>(size);
    if (storage.size() < size) storage.resize(size);
    std::memcpy(storage.data(), rest_.data(), size);
    rest_.clear();
    for (;;) {
        const size_t wanted = std::min(blockBytes_, static_cast<size_t>(std::max<int64_t>(0, fileBytes_ - offset_)));
        if (storage.size() < size + wanted) storage.resize(size + wanted);
        const size_t got = file_->readAt(offset_, storage.data() + size, wanted);
        offset_ += static_cast<int64_t>(got);
        size += got;
        // A file may have been shortened meanwhile.
        const bool isEnd = got < wanted || offset_ >= fileBytes_;
        endLinesWithFeeds(storage.data(), size, options_.delimiter, 0, isEnd);
        block.lines = std::string_view(storage).substr(0, size);
        if (isEnd) {
            countRead(block);
            return size > 0;
        }
        const std::vector<size_t> ends = cutAtLines(block.lines, options_, SIZE_MAX / 2, false);
        if (ends.empty()) continue;  // a line longer than the block
        rest_ = block.lines.substr(ends.back());
        block.lines = block.lines.substr(0, ends.back());
        countRead(block);
        return true;
    }
}

namespace {

struct ParsedBlock {
    Ref<MemoryTable> rows;
    TextReport report;
    struct OddLine {
        size_t odd;    // the column
        int64_t line;  // line of the block
    };
    std::vector<OddLine> oddLines;

    // Finds the lines of odd fields while the block is in memory.
    void findOddLines(const TextBlock& block, const std::vector<OddColumn>& odd) {
        for (size_t i = 0; i < odd.size(); ++i) {
            const int64_t at = odd[i].offset - block.offset;
            if (odd[i].count == 0 || at < 0 || at >= static_cast<int64_t>(block.lines.size())) continue;
            oddLines.push_back({i, 1 + countLineFeeds(block.lines.substr(0, static_cast<size_t>(at)))});
        }
    }
};

// Each worker reads a block and parses it while it is in the processor's cache.
std::vector<ParsedBlock> parseEach(TextBlocks& blocks, size_t mostBytes, const TextSchema& schema,
                                   const std::vector<OddColumn>* odd, ProgressPhase* progress) {
    Mutex mutex;  // guards blocks, bytes and parsed, but not the elements of parsed, each of which is one worker's
    size_t bytes = 0;
    std::deque<ParsedBlock> parsed;  // a deque, since its elements must not move
    parallelFor(workerCount(), [&](int64_t) {
        TextBlock block;
        for (;;) {
            ParsedBlock* own;
            {
                const MutexLock guard(mutex);
                if (bytes >= mostBytes || !blocks.next(block)) return;
                bytes += block.lines.size();
                quoteArrays(block.storage.data(), block.lines.size(), blocks.options());
                own = &parsed.emplace_back();
            }
            own->rows = parseLines(block.lines, schema, blocks.options(), 1, own->report);
            findOddBytes(block.lines, schema, blocks.options().delimiter, 1, own->report);
            if (odd) own->findOddLines(block, *odd);
            if (progress) progress->add(block.readBytes);
        }
    });
    return {std::make_move_iterator(parsed.begin()), std::make_move_iterator(parsed.end())};
}

}  // namespace

Ref<MemoryTable> parseBlocks(TextBlocks& blocks, size_t mostBytes, const TextSchema& schema, TextReport& report,
                             std::vector<OddColumn>* odd, ProgressPhase* progress) {
    const std::vector<ParsedBlock> parsed = parseEach(blocks, mostBytes, schema, odd, progress);
    if (parsed.empty()) return {};
    int64_t total = 0;
    for (const ParsedBlock& block : parsed) {
        TextReport own = block.report;
        const int64_t before = blocks.head().firstLine - 1 + report.lines;
        own.shiftLines(before);
        for (const ParsedBlock::OddLine& found : block.oddLines) (*odd)[found.odd].line = before + found.line;
        report.add(own);
        total += block.rows->rowCount();
    }
    if (parsed.size() == 1) return parsed[0].rows;
    std::vector<std::string> names;
    std::vector<Value> columns(schema.size());
    for (const TextColumn& column : schema) names.push_back(column.name);
    parallelFor(static_cast<int64_t>(schema.size()), [&](int64_t c) {
        const auto at = static_cast<size_t>(c);
        if (isArrayType(schema[at].type)) {
            Value rows = filledColumn(schema[at].type, schema[at].scale, 0);
            for (const ParsedBlock& block : parsed) appendElements(rows, block.rows->column(static_cast<int>(c)));
            CHECK(rows.size() == total) << "a column of arrays has the rows of all blocks";
            columns[at] = std::move(rows);
            return;
        }
        Ref<Vector> all = Vector::make(schema[at].type, 0, total);
        all->setScale(schema[at].scale);
        for (const ParsedBlock& block : parsed) {
            const Vector& part = block.rows->column(static_cast<int>(c)).vector();
            all->append(part, 0, part.size());
        }
        CHECK(all->size() == total) << "a column has the rows of all blocks";
        columns[at] = Value::of(std::move(all));
    });
    return makeRef<MemoryTable>(std::move(names), std::move(columns));
}

}  // namespace pelorus::text
