// Stands above rows of one kind in a list; of those without a name nothing is said.
import QtQuick
import Inglenook

Item {
    id: heading

    required property string section
    readonly property string text: section

    visible: section.length > 0
    width: label.implicitWidth
    height: visible ? label.implicitHeight : 0
    Accessible.role: Accessible.Heading
    Accessible.name: section

    Text {
        id: label
        textFormat: Text.PlainText
        topPadding: Theme.s
        bottomPadding: Theme.xs
        text: heading.section
        color: Theme.mutedText
        font.pixelSize: Theme.smallSize
        font.weight: Font.DemiBold
    }
}
