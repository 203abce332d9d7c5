// What clients may do. A service of the process, set at start.
#pragma once

namespace pelorus {

struct ClientPolicy {
    bool guestsMayRun = false;  // clients that did not log in may run scripts
};

}  // namespace pelorus
