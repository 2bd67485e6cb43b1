// Which taxel a program was compiled with; code that needs a newer one says so at compile time.
#include <cstdio>
#include <cstring>

#include "taxel/version.h"

#if TAXEL_VERSION < TAXEL_MAKE_VERSION(0, 1, 0)
#error "this program needs taxel 0.1 or newer"
#endif

static_assert(TAXEL_MAKE_VERSION(1, 2, 3) > TAXEL_MAKE_VERSION(1, 1, 999));

// With an argument: whether it is that version.
int main(int count, char** words) {
  std::printf("taxel %d.%d.%d, plugin for MuJoCo %s\n", TAXEL_VERSION_MAJOR, TAXEL_VERSION_MINOR,
              TAXEL_VERSION_PATCH, TAXEL_MUJOCO_VERSION_STRING);
  if (count < 2 || std::strcmp(words[1], TAXEL_VERSION_STRING) == 0) return 0;
  std::printf("that is not %s\n", words[1]);
  return 1;
}
