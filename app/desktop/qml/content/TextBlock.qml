// A paragraph or heading: selectable, with links that show where they lead.
import QtQuick
import Inglenook

TextEdit {
    id: textBlock

    required property AppModel app
    required property string html
    property bool rightToLeft: false
    property int heading: 0

    text: Theme.richTextStyle + "<p dir=\"" + (rightToLeft ? "rtl" : "ltr") + "\">" + html + "</p>"
    textFormat: TextEdit.RichText
    readOnly: true
    selectByMouse: true
    wrapMode: TextEdit.Wrap
    color: Theme.text
    selectionColor: Theme.selection
    selectedTextColor: Theme.text
    font.pixelSize: heading > 0 ? Theme.headingSize(heading) : Theme.textSize
    font.weight: heading > 0 ? Font.DemiBold : Font.Normal
    // Qt offers line by line reading for this role only.
    Accessible.role: heading > 0 ? Accessible.Heading : Accessible.EditableText
    Accessible.readOnly: true
    Accessible.name: getText(0, length)

    onLinkActivated: link => app.portal.openLink(link)

    HoverHandler {
        cursorShape: textBlock.hoveredLink.length > 0 ? Qt.PointingHandCursor : Qt.IBeamCursor
    }
    Loader {
        active: textBlock.hoveredLink.length > 0
        sourceComponent: Hint {
            parent: textBlock
            text: textBlock.hoveredLink
            visible: true
            delay: 0
        }
    }
}
