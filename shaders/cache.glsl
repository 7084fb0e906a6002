// Where the key/value cache keeps a token. A layer's keys and values are [pages, 64 tokens, rowWords]; a
// sequence's page table, of maxPages entries, says which pages are its own. A row is, by CACHE: 32 floats; 16
// halves; 8 signed bytes, then from word `scaleWord` of the row on a half for each 32 of them. The including
// shader declares maxPages.
layout(binding = PAGES_BINDING) readonly buffer Pages { uint pages[]; };  // [sequences, maxPages]

const uint kPageTokens = 64;

// The row of a token among all rows of the layer.
uint cacheRow(uint sequence, uint position) {
    return pages[sequence * maxPages + position / kPageTokens] * kPageTokens + position % kPageTokens;
}
