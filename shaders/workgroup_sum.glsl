// The sum of a value over all invocations of a workgroup, at any subgroup width. Every invocation calls it, and gets
// the same sum.
#extension GL_KHR_shader_subgroup_arithmetic : require

// One value per subgroup; the narrowest are 4 wide, the largest workgroup is 1024.
shared float subgroupSums[256];

float workgroupSum(float value) {
    const float sum = subgroupAdd(value);
    if (gl_NumSubgroups == 1) return sum;
    barrier();  // the sums of an earlier call have been read
    if (subgroupElect()) subgroupSums[gl_SubgroupID] = sum;
    barrier();
    float total = 0;
    for (uint i = 0; i < gl_NumSubgroups; ++i) total += subgroupSums[i];
    return total;
}
