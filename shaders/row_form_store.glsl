// Writes rows in the form that a product reads them in, if it does in one. The including shader declares INVOCATIONS,
// FORM and FORM_BINDING.
const uint kFloats = 0, kHalves = 1, kBytes = 2;  // recording/row_forms.h

#define BYTES_BINDING FORM_BINDING
#define HALVES_BINDING FORM_BINDING
#include "row_bytes_store.glsl"
#include "row_halves_store.glsl"

// As storeBytes(): all invocations of the workgroup call it.
void storeForm(uint row, uint width, uint eighth, vec4 low, vec4 high) {
    if (FORM == kBytes) storeBytes(row, (width + 31) / 32, eighth, low, high);
    if (FORM == kHalves) storeHalves(row, (width + 63) / 64 * 8, eighth, low, high);
}
