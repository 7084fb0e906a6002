// The help: all pages below each other, and a search that leaves the sections with the words.
import QtQuick
import QtQuick.Layouts
import QtQuick.Templates as T
import Inglenook

Page {
    id: page

    required property AppModel app
    required property SaveDialog dialog
    readonly property DesktopPortal portal: app.services.portal

    function takeFocus() {
        search.forceActiveFocus();
    }

    objectName: "helpPage"
    title: qsTr("Help")

    ColumnLayout {
        anchors.fill: parent
        anchors.leftMargin: Math.max(page.margin, (page.width - Theme.columnWidth) / 2)
        anchors.rightMargin: anchors.leftMargin
        anchors.bottomMargin: Theme.s
        spacing: Theme.m

        HelpModel {
            id: help
            query: search.text
        }
        InputField {
            id: search
            objectName: "helpSearch"
            Layout.fillWidth: true
            label: qsTr("Search the help")
            placeholderText: label
            focus: true
            // Reading goes on while the keyboard is here.
            Keys.onDownPressed: list.scrollTo(list.contentY + Theme.controlSize)
            Keys.onUpPressed: list.scrollTo(list.contentY - Theme.controlSize)
            Keys.onPressed: event => {
                event.accepted = event.key === Qt.Key_PageDown || event.key === Qt.Key_PageUp;
                if (event.accepted)
                    list.scrollTo(list.contentY
                                  + (event.key === Qt.Key_PageDown ? 1 : -1) * (list.height - Theme.controlSize));
            }
        }
        Flow {
            Layout.fillWidth: true
            spacing: Theme.s

            Repeater {
                model: help.pages
                delegate: TextButton {
                    required property var modelData

                    text: modelData.title
                    onClicked: list.positionViewAtIndex(modelData.row, ListView.Beginning)
                }
            }
        }
        Text {
            textFormat: Text.PlainText
            Layout.fillWidth: true
            visible: list.count === 0
            text: qsTr("Nothing found. Perhaps the guide knows: ask it in a conversation.")
            color: Theme.mutedText
            font.pixelSize: Theme.smallSize
            wrapMode: Text.Wrap
        }
        BlockList {
            id: list
            objectName: "helpText"
            colours: page.app.services.colours
            formulas: page.app.services.formulas
            Layout.fillWidth: true
            Layout.fillHeight: true
            // Heights of blocks are known once they are made; few are, so all may be made at once.
            cacheBuffer: 1 << 16
            rows: help.rows
            onLinkActivated: target => page.portal.openLink(target)
            onLinkCopyRequested: target => page.portal.copyLink(target)
            onCopyRequested: text => page.portal.copy(text)
            onSaveRequested: (text, label) => page.dialog.saveCode(text, label)
            T.ScrollBar.vertical: ScrollThumb {}
        }
    }
}
