// Sums of products of four signed bytes.
#extension GL_EXT_spirv_intrinsics : require

// OpSDot with DotProductInput4x8BitPacked, for compilers that have no GL_EXT_integer_dot_product.
spirv_instruction(extensions = ["SPV_KHR_integer_dot_product"], capabilities = [6018, 6019], id = 4450)
int signedDot(uint a, uint b, spirv_literal int format);

int dotBytes(uint a, uint b) {
    return signedDot(a, b, 0);
}
