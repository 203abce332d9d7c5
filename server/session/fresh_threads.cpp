#include "server/session/fresh_threads.h"

#include <exception>

#include "common/error.h"
#include "common/thread/thread_start.h"

namespace pelorus {

void serveOnFreshThreads(const std::function<Served()>& step) {
    const auto serve = [&step] {
        Served served = Served::More;
        while (served == Served::More) served = step();
        return served;
    };
    Served served = serve();
    while (served == Served::MoreElsewhere) {
        std::exception_ptr failure;
        std::thread fresh;
        try {
            fresh = startThread([&] {
                try {
                    served = serve();
                } catch (...) {
                    failure = std::current_exception();
                }
            });
        } catch (const SystemError&) {
            served = serve();
            continue;
        }
        fresh.join();
        if (failure) std::rethrow_exception(failure);
    }
}

}  // namespace pelorus
