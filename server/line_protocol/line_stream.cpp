#include "server/line_protocol/line_stream.h"

#include <exception>

#include "runtime/function/principal_source.h"

namespace pelorus {
namespace {

constexpr int64_t kCommitRows = 65'536;
constexpr size_t kCommitBytes = size_t{64} << 20;
constexpr auto kCommitAfter = std::chrono::milliseconds(100);
constexpr int kMaxAttempts = 5;

}  // namespace

void LineStream::begin() {
    batch_.reset();
    tables_.reset();
    request_ = std::make_unique<Request>(principals_.principalOf(user_));
    tables_ = std::make_unique<WrittenTables>(service_.services, *request_, service_.options);
    batch_ = std::make_unique<LineBatch>(tags_, *tables_);
}

size_t LineStream::take(std::string_view bytes) {
    if (!batch_) {
        begin();
        began_ = Clock::now();
    }
    size_t used = 0;
    try {
        used = batch_->add(bytes, false);
    } catch (const UserError&) {
        lines_.append(bytes.substr(0, batch_->goodBytes()));
        errorLine_ = linesBefore_ + batch_->errorLine();
        errorTable_ = batch_->errorTable();
        const std::exception_ptr why = std::current_exception();
        commit();
        std::rethrow_exception(why);
    }
    lines_.append(bytes.substr(0, used));
    if (batch_->rowCount() >= kCommitRows || lines_.size() >= kCommitBytes) commit();
    return used;
}

void LineStream::commitWhenDue() {
    if (batch_ && Clock::now() - began_ >= kCommitAfter) commit();
}

void LineStream::commit() {
    if (!batch_) return;
    for (int attempt = 1;; ++attempt) {
        try {
            tables_->store(*batch_);
            break;
        } catch (const StaleTable&) {
            if (attempt == kMaxAttempts) throw;
        }
        begin();
        batch_->add(lines_, false);
    }
    committedRows_ += batch_->rowCount();
    linesBefore_ += batch_->errorLine();
    lines_.clear();
    batch_.reset();
    tables_.reset();
}

}  // namespace pelorus
