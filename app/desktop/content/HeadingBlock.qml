// A heading.
import QtQuick
import Inglenook

BlockFrame {
    id: heading

    required property int level

    text: words
    space: Theme.xl

    SelectableText {
        id: words
        width: heading.bodyWidth
        block: heading.block
        selected: heading.selected
        font.pixelSize: Theme.headingSize(heading.level)
        font.weight: Font.DemiBold
        horizontalAlignment: heading.rightToLeft ? TextEdit.AlignRight : TextEdit.AlignLeft
        Accessible.role: Accessible.Heading
    }
}
