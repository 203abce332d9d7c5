#include "apps/editor/input_history.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <readline/history.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <vector>

#include "common/hide_secrets.h"

namespace pelorus {

namespace {

constexpr size_t kKept = 5000;             // inputs
constexpr size_t kLargestInput = 1 << 16;  // bytes of one that the file takes
constexpr size_t kLargestFile = 4 << 20;   // bytes

// The file, locked against other consoles while the object lives.
class LockedFile {
public:
    explicit LockedFile(const std::string& path)
        : descriptor_(::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, S_IRUSR | S_IWUSR)) {
        if (descriptor_ >= 0) ::flock(descriptor_, LOCK_EX);
    }
    ~LockedFile() {
        if (descriptor_ >= 0) ::close(descriptor_);
    }
    LockedFile(const LockedFile&) = delete;
    LockedFile& operator=(const LockedFile&) = delete;

    std::string read() const {
        std::string content;
        char block[1 << 16];
        while (descriptor_ >= 0) {
            const ssize_t count = ::read(descriptor_, block, sizeof block);
            if (count <= 0) break;
            content.append(block, static_cast<size_t>(count));
        }
        return content;
    }
    void append(std::string_view bytes) const {
        while (descriptor_ >= 0 && !bytes.empty()) {
            const ssize_t count = ::write(descriptor_, bytes.data(), bytes.size());
            if (count <= 0) return;
            bytes.remove_prefix(static_cast<size_t>(count));
        }
    }
    void replace(std::string_view content) const {
        if (descriptor_ >= 0 && ::ftruncate(descriptor_, 0) == 0) append(content);
    }

private:
    const int descriptor_;
};

struct KeptInput {
    std::string time;  // "#1700000000"
    std::string text;
};

bool isTime(std::string_view line) {
    return line.size() > 1 && line[0] == '#' && line.find_first_not_of("0123456789", 1) == std::string_view::npos;
}

// Lines before the first time are an input each: a file that an older console wrote.
std::vector<KeptInput> parseHistory(std::string_view content) {
    std::vector<KeptInput> inputs;
    std::string time;
    bool isFirstLine = false;
    while (!content.empty()) {
        const size_t end = content.find('\n');
        const std::string_view line = content.substr(0, end);
        content.remove_prefix(end == std::string_view::npos ? content.size() : end + 1);
        if (isTime(line)) {
            time = line;
            isFirstLine = true;
        } else if (isFirstLine || time.empty()) {
            inputs.push_back({time.empty() ? "#0" : time, std::string(line)});
            isFirstLine = false;
        } else {
            inputs.back().text += '\n';
            inputs.back().text += line;
        }
    }
    return inputs;
}

std::string fileEntry(std::string_view time, std::string_view text) {
    return fmt::format("{}\n{}\n", time, text);
}

}  // namespace

InputHistory::InputHistory(std::string file) : file_(std::move(file)) {
    using_history();
    stifle_history(static_cast<int>(kKept));
    if (file_.empty()) return;
    const LockedFile kept(file_);
    const std::string content = kept.read();
    std::vector<KeptInput> inputs = parseHistory(content);
    const bool isLarge = content.size() > kLargestFile;
    if (inputs.size() > kKept + kKept / 10 || isLarge) {
        size_t first = inputs.size() - std::min(inputs.size(), kKept);
        if (isLarge) first = std::max(first, inputs.size() / 2);
        inputs.erase(inputs.begin(), inputs.begin() + static_cast<ptrdiff_t>(first));
        std::string shorter;
        for (const KeptInput& input : inputs) shorter += fileEntry(input.time, input.text);
        kept.replace(shorter);
    }
    for (const KeptInput& input : inputs) add_history(input.text.c_str());
}

void InputHistory::add(std::string_view input) {
    while (!input.empty() && (input.back() == '\n' || input.back() == ' ' || input.back() == '\t')) {
        input.remove_suffix(1);
    }
    if (input.empty() || input[0] == ' ' || input[0] == '\t') return;
    const std::string text = hideSecrets(input);
    if (text == last()) return;
    add_history(text.c_str());
    if (file_.empty() || text.size() > kLargestInput) return;
    LockedFile(file_).append(fileEntry(fmt::format("#{}", std::time(nullptr)), text));
}

std::string InputHistory::last() {
    const HIST_ENTRY* entry = history_length > 0 ? history_get(history_base + history_length - 1) : nullptr;
    return entry ? entry->line : "";
}

}  // namespace pelorus
