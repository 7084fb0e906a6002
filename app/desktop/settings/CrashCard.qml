// The report of a crash, as it would be sent, and where to put it.
import QtQuick
import QtQuick.Layouts
import QtQuick.Templates as T
import Inglenook

Card {
    id: card

    required property AppModel app
    required property SaveDialog dialog
    readonly property CrashReports crashes: app.program.crashes
    readonly property DesktopPortal portal: app.services.portal

    objectName: "crashCard"
    title: qsTr("What happened")

    body: ColumnLayout {
        spacing: Theme.l

        Text {
            textFormat: Text.PlainText
            Layout.fillWidth: true
            text: qsTr("This report tells programmers where Inglenook crashed. It holds nothing you wrote, and it "
                     + "goes nowhere unless you send it.")
            color: Theme.mutedText
            font.pixelSize: Theme.smallSize
            wrapMode: Text.Wrap
        }
        Rectangle {
            Layout.fillWidth: true
            Layout.fillHeight: true
            implicitHeight: Math.min(report.implicitHeight, 300) + 2 * Theme.s
            radius: Theme.radius
            color: Theme.surface

            Flickable {
                anchors.fill: parent
                anchors.margins: Theme.s
                contentWidth: report.implicitWidth
                contentHeight: report.implicitHeight
                boundsBehavior: Flickable.StopAtBounds
                clip: true
                T.ScrollBar.vertical: ScrollThumb {}

                TextEdit {
                    id: report
                    readOnly: true
                    selectByMouse: true
                    activeFocusOnTab: true
                    text: card.crashes.text
                    textFormat: TextEdit.PlainText
                    color: Theme.text
                    selectionColor: Theme.selection
                    selectedTextColor: Theme.text
                    font.family: Theme.fixedFontFamily
                    font.pixelSize: Theme.smallSize - 1
                    Accessible.name: qsTr("Crash report")
                }
            }
        }
        RowLayout {
            Layout.alignment: Qt.AlignRight
            spacing: Theme.s

            TextButton {
                text: qsTr("Copy")
                onClicked: card.portal.copy(card.crashes.text)
            }
            TextButton {
                objectName: "saveCrash"
                text: qsTr("Save…")
                prominent: true
                onClicked: card.dialog.saveText(qsTr("Save the crash report"), "inglenook-crash.txt", card.crashes.text)
            }
        }
    }
}
