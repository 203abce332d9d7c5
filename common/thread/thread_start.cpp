#include "common/thread/thread_start.h"

#include <system_error>

#include "common/error.h"

namespace pelorus {

std::thread startThread(std::function<void()> body) {
    try {
        return std::thread(std::move(body));
    } catch (const std::system_error& error) {
        throw SystemError(
            std::string("The machine has no thread to give: ") + error.code().message() + ".",
            "Try again with fewer requests at the same time, or raise the limits of threads (ulimit -u) and "
            "of memory.",
            true);
    }
}

}  // namespace pelorus
