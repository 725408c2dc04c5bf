/* No GPU code: the magic numbers of every container, as plain constants. */
const char bundle[] = "__CLANG_OFFLOAD_BUNDLE__";
const char compressed[] = "CCOB";
const char archive[] = "KPAK";
const unsigned fatbin = 0xBA55ED50;
const unsigned wrapper = 0x466243B1;
const unsigned offload = 0xAD10FF10;
int answer(void) { return bundle[0] + compressed[0] + archive[0] + (int)(fatbin ^ wrapper ^ offload); }
